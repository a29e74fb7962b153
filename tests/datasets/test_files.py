"""Tables in files: what is read, and one sentence for everything that cannot be."""

import codecs
import gzip
import sys
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from mlaudit.datasets._load import load_data
from mlaudit.datasets._table import read_table
from mlaudit.errors import AuditError, InvalidInput, MissingExtra

PLAIN = "a,colour,y\n1,red,no\n2,blue,yes\n4,red,no\n"
COLUMNS = {"a": ["1", "2", "4"], "colour": ["red", "blue", "red"], "y": ["no", "yes", "no"]}


def columns_of(path: Path, target: str | None = None) -> dict[str, list[str]]:
    return {name: column.tolist() for name, column in read_table(path, target).columns.items()}


def written(path: Path, content: bytes) -> Path:
    path.write_bytes(content)
    return path


def test_a_csv_file(tmp_path: Path) -> None:
    path = written(tmp_path / "t.csv", PLAIN.encode())
    assert columns_of(path) == COLUMNS
    assert read_table(path).target == "y"
    assert read_table(path, "colour").target == "colour"


@pytest.mark.slow
def test_a_hundred_thousand_columns_are_read_and_a_name_that_comes_twice_is_found(tmp_path: Path) -> None:
    names = [f"c{i}" for i in range(100_000)]
    lines = [",".join([*names, "y"]), *(",".join([f"{value}"] * len(names) + [f"{value}"]) for value in (0, 1))]
    assert len(read_table(written(tmp_path / "wide.csv", "\n".join(lines).encode())).columns) == 100_001
    few = "\n".join(",".join(line.split(",")[-20_001:]) for line in lines)
    assert load_data(str(written(tmp_path / "less_wide.csv", few.encode()))).X.shape == (2, 20_000)
    lines[0] = lines[0].replace("c99999,", "c7,")
    with pytest.raises(InvalidInput, match="must name every column differently, got 'c7' twice"):
        read_table(written(tmp_path / "wide.csv", "\n".join(lines).encode()))


@pytest.mark.parametrize(
    "text",
    [
        PLAIN.replace("\n", "\r\n"),
        PLAIN.rstrip("\n"),
        PLAIN.replace("\n", "\n\n") + "\n\n",
        PLAIN.replace(",", " , "),
        PLAIN.replace("red", '"red"'),
    ],
    ids=["windows", "no last newline", "empty lines", "spaces", "quotes"],
)
def test_csv_in_other_manners(text: str, tmp_path: Path) -> None:
    assert columns_of(written(tmp_path / "t.csv", text.encode())) == COLUMNS


def test_a_compressed_csv_file(tmp_path: Path) -> None:
    assert columns_of(written(tmp_path / "t.csv.gz", gzip.compress(PLAIN.encode()))) == COLUMNS


@pytest.mark.parametrize("ending", [".csv", ".csv.gz"])
def test_a_byte_order_mark_is_no_part_of_the_first_name(ending: str, tmp_path: Path) -> None:
    content = codecs.BOM_UTF8 + PLAIN.encode()
    packed = gzip.compress(content) if ending.endswith("gz") else content
    assert columns_of(written(tmp_path / f"t{ending}", packed)) == COLUMNS


def test_commas_quotes_and_lines_within_quotes(tmp_path: Path) -> None:
    text = 'a,"last, first",y\n1,"Noether, Emmy",no\n2,"said ""no""",yes\n3,"two\nlines",no\n'
    found = columns_of(written(tmp_path / "t.csv", text.encode()))
    assert found["last, first"] == ["Noether, Emmy", 'said "no"', "two\nlines"]
    assert found["y"] == ["no", "yes", "no"]


def test_names_and_values_of_any_script(tmp_path: Path) -> None:
    text = "größe,y\n1,да\n2,нет\n"
    assert columns_of(written(tmp_path / "t.csv", text.encode())) == {"größe": ["1", "2"], "y": ["да", "нет"]}


def test_a_parquet_file_reads_as_the_same_csv_would(tmp_path: Path) -> None:
    parquet.write_table(
        pa.table({"a": [1, 2, 4], "colour": COLUMNS["colour"], "y": COLUMNS["y"]}), tmp_path / "t.parquet"
    )
    path = tmp_path / "t.parquet"
    assert columns_of(path) == COLUMNS
    csv = load_data(str(written(tmp_path / "t.csv", PLAIN.encode())))
    assert load_data(str(path)).digest == csv.digest
    assert load_data(str(path), "colour").digest == load_data(str(tmp_path / "t.csv"), "colour").digest


def test_missing_values_of_parquet_are_missing(tmp_path: Path) -> None:
    numbers = [1.5, None, float("nan"), 2.5, 3.5]
    words = ["u", "v", "u", None, "v"]
    parquet.write_table(
        pa.table({"a": numbers, "w": words, "y": [True, False, True, False, False]}), tmp_path / "t.parquet"
    )
    data = load_data(str(tmp_path / "t.parquet"))
    assert data.X.tolist() == [[0, 1, 0], [1, 0, 1]]
    assert data.y is not None
    assert data.y.tolist() == [1, 0]


def bad_gzip(path: Path) -> None:
    """The header is right, what follows is not."""
    packed = gzip.compress(("a,y\n" + "".join(f"{i},{i % 7}\n" for i in range(300))).encode())
    path.write_bytes(packed[:20] + b"\xff\x00\xff" + packed[23:])


def no_columns(path: Path) -> None:
    parquet.write_table(pa.table({}), path)


def no_rows(path: Path) -> None:
    parquet.write_table(pa.table({"a": pa.array([], pa.int64()), "y": pa.array([], pa.string())}), path)


def twice(path: Path) -> None:
    parquet.write_table(pa.table([[1], [2], ["n"]], names=["a", "a", "y"]), path)


def one_of_parquet(path: Path) -> None:
    parquet.write_table(pa.table({"y": ["n", "p"]}), path)


def holds(content: str | bytes) -> Callable[[Path], None]:
    def make(path: Path) -> None:
        path.write_bytes(content.encode() if isinstance(content, str) else content)

    return make


BAD: dict[str, tuple[str, Callable[[Path], None], str]] = {
    "ragged": ("t.csv", holds("a,y\n1,n\n2,p,3\n"), r"2 values in every line, got 3 in line 3$"),
    "ragged, after empty lines": ("t.csv", holds("a,y\n\n1,n\n\n2\n"), r"2 values in every line, got 1 in line 5$"),
    "ragged, after a long value": (
        "t.csv",
        holds('a,y\n"1\n\n",n\n2\n'),
        r"2 values in every line, got 1 in line 5$",
    ),
    "duplicate header": ("t.csv", holds("a,b,a\n1,2,3\n"), r"must name every column differently, got 'a' twice$"),
    "duplicate but for spaces": (
        "t.csv",
        holds("a,b, a\n1,2,3\n"),
        "must name every column differently, got 'a' twice",
    ),
    "another encoding": ("t.csv", holds("größe,y\n1,n\n".encode("latin-1")), "must be a readable CSV file in UTF-8"),
    "UTF-16": ("t.csv", holds(PLAIN.encode("utf-16")), "must be a readable CSV file in UTF-8"),
    "a quote never closed": (
        "t.csv",
        holds('a,y\n1,"n\n2,p\n3,n\n'),
        "readable CSV file in UTF-8, got: unexpected end",
    ),
    "truncated gzip": ("t.csv.gz", holds(gzip.compress(PLAIN.encode() * 50)[:-12]), "got: Compressed file ended"),
    "damaged gzip": ("t.csv.gz", bad_gzip, "must be a readable CSV file in UTF-8, got: Error -3"),
    "not compressed": ("t.csv.gz", holds(PLAIN), "must be a readable CSV file in UTF-8, got: Not a gzipped file"),
    "compressed, not said": ("t.csv", holds(gzip.compress(PLAIN.encode())), "must be a readable CSV file in UTF-8"),
    "empty": ("t.csv", holds(""), r"must have a header and at least one row, got 0 lines$"),
    "empty gzip": ("t.csv.gz", holds(gzip.compress(b"")), r"must have a header and at least one row, got 0 lines$"),
    "header only": ("t.csv", holds("a,y\n"), r"must have a header and at least one row, got 1 lines$"),
    "one column": ("t.csv", holds("y\nn\np\n"), "at least one column beside the label 'y', got none"),
    "no such file": ("t.csv", lambda path: None, "must be a readable CSV file in UTF-8, got: .*No such file"),
    "a folder": ("t.csv", Path.mkdir, "must be a readable CSV file in UTF-8, got: .*Is a directory"),
    "no such Parquet": ("t.parquet", lambda path: None, "must be a readable Parquet file"),
    "empty Parquet": ("t.parquet", holds(""), "must be a readable Parquet file"),
    "CSV for Parquet": ("t.parquet", holds(PLAIN), "must be a readable Parquet file"),
    "Parquet without columns": ("t.parquet", no_columns, r"must have columns, got none$"),
    "Parquet without rows": ("t.parquet", no_rows, r"must have at least one row, got none$"),
    "Parquet with a name twice": ("t.parquet", twice, "must be a readable Parquet file, got: Multiple matches"),
    "Parquet of one column": ("t.parquet", one_of_parquet, "at least one column beside the label 'y', got none"),
}


@pytest.mark.parametrize("bad", BAD)
@pytest.mark.slow
def test_what_cannot_be_read_is_refused_in_one_sentence(bad: str, tmp_path: Path) -> None:
    name, make, sentence = BAD[bad]
    make(tmp_path / name)
    with pytest.raises(InvalidInput, match=sentence) as caught:
        load_data(str(tmp_path / name))
    assert name in str(caught.value)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.parquet"])
def test_a_missing_target_is_named_with_its_likeness(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name.endswith("parquet"):
        parquet.write_table(pa.table({"income": [1], "label": ["n"]}), path)
    else:
        text = b"income,label\n1,n\n"
        path.write_bytes(gzip.compress(text) if name.endswith("gz") else text)
    with pytest.raises(InvalidInput) as caught:
        load_data(str(path), "lable")
    assert str(caught.value) == f"no column of {name} is called 'lable'; did you mean 'label'?"


def test_a_target_without_a_file_is_refused() -> None:
    with pytest.raises(InvalidInput, match="target names a column of a file, got the dataset 'iris'"):
        load_data("iris", "class")


def test_parquet_without_pyarrow_names_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    no_rows(tmp_path / "t.parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingExtra) as caught:
        load_data(str(tmp_path / "t.parquet"))
    assert isinstance(caught.value, AuditError)
    assert str(caught.value) == "this needs pyarrow; install it with: pip install 'mlaudit[parquet]'"
