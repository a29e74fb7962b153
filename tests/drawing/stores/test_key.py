"""The key that tells the draws of this account from a stranger's."""

import stat
from pathlib import Path

import pytest
from together import run_together

from mlaudit.drawing.stores import _key
from mlaudit.drawing.stores._key import key_file, user_key
from mlaudit.errors import StoreError


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "state" / "key"
    monkeypatch.setenv("MLAUDIT_KEY", str(path))
    return path


def test_it_is_made_once_and_for_this_user_alone(place: Path) -> None:
    first = user_key()
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
    assert [path.name for path in place.parent.iterdir()] == ["key"]
    _key._key_at.cache_clear()
    assert user_key() == first


PROGRAM = """
import os, sys
from mlaudit.drawing.stores import _key

sys.stdin.readline()
for attempt in range(20):
    os.environ["MLAUDIT_KEY"] = os.path.abspath(os.path.join(str(attempt), "key"))
    _key._key_at.cache_clear()
    print(_key.user_key().hex())
"""


@pytest.mark.slow
def test_processes_that_make_it_together_have_the_same(tmp_path: Path) -> None:
    found = run_together(PROGRAM, tmp_path)
    assert len(found[0].split()) == 20
    assert len(set(found)) == 1


def test_a_copy_of_the_key_is_the_same_key(place: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = user_key()
    copy = tmp_path / "copy"
    copy.write_bytes(place.read_bytes().strip())
    monkeypatch.setenv("MLAUDIT_KEY", str(copy))
    assert user_key() == first


def test_an_empty_key_is_refused(place: Path) -> None:
    place.parent.mkdir()
    place.write_text("short\n", encoding="utf-8")
    with pytest.raises(StoreError, match="at least 32 bytes, got 5; remove it to have one made"):
        user_key()


def test_a_key_that_cannot_be_kept_serves_this_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    monkeypatch.setenv("MLAUDIT_KEY", str(tmp_path / "file" / "key"))
    with pytest.raises(StoreError, match="must be a readable file"):
        user_key()
    monkeypatch.setenv("MLAUDIT_KEY", "/proc/no/key")
    with pytest.warns(UserWarning, match="cannot be continued by another command; let MLAUDIT_KEY name a file"):
        first = user_key()
    assert user_key() == first


def test_it_lies_in_the_users_state_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("MLAUDIT_KEY")
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert key_file() == tmp_path / "mlaudit" / "key"
    monkeypatch.delenv("XDG_STATE_HOME")
    monkeypatch.setenv("HOME", str(tmp_path))
    assert key_file() == tmp_path / ".local" / "state" / "mlaudit" / "key"
