"""Run the notebooks of the manual.

    python tools/run_notebooks.py                    # run them, and keep their output in the files
    python tools/run_notebooks.py --check            # run them, and compare with the output in the files
    python tools/run_notebooks.py --check engineer   # one of them

Only printed text is compared, and numbers in it may differ in the last digits on another processor.
"""

import re
import sys
import tempfile
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

NOTEBOOKS = Path(__file__).parents[1] / "docs" / "notebooks"
MOST_BYTES = 60_000


def run_notebook(path: Path) -> Any:
    """The notebook with fresh output; it runs in an empty folder."""
    notebook = nbformat.read(path, as_version=4)
    with tempfile.TemporaryDirectory() as folder:
        client = NotebookClient(
            notebook, timeout=600, kernel_name="python3", resources={"metadata": {"path": folder}}
        )
        client.execute()
    for cell in notebook.cells:
        cell.metadata.pop("execution", None)  # times of day
    notebook.metadata["language_info"] = {"name": "python"}
    return notebook


def printed(notebook: Any) -> list[str]:
    """What every cell prints, with numbers cut to two digits, without the lines that name versions."""
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", ())]
    text = "".join(output.get("text", "") for output in outputs)
    lines = re.sub(r"(\d+\.\d{2})\d+", r"\1", text).splitlines()
    return [line for line in lines if not line.startswith("  versions ")]


def main(arguments: list[str]) -> int:
    """Run the notebooks that are named, or all; 1 if one prints something else than before, or is too large."""
    wrong = 0
    named = [argument for argument in arguments if argument != "--check"]
    for path in [NOTEBOOKS / f"{name}.ipynb" for name in named] or sorted(NOTEBOOKS.glob("*.ipynb")):
        kept, made = nbformat.read(path, as_version=4), run_notebook(path)
        if "--check" not in arguments:
            nbformat.write(made, path)
        elif printed(kept) != printed(made):
            wrong = 1
            print(f"{path.name} prints something else; run python tools/run_notebooks.py", *printed(made), sep="\n")
        if path.stat().st_size > MOST_BYTES:
            wrong = 1
            print(f"{path.name} has {path.stat().st_size} bytes, at most {MOST_BYTES} are kept")
    return wrong


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
