"""Audits of whole libraries: a catalogue lists the mechanisms, and `audit_library` tests the claim of each."""

from mlaudit.library.item import Item
from mlaudit.library.result import Entry, LibraryResult
from mlaudit.library.run import audit_library

__all__ = ["Entry", "Item", "LibraryResult", "audit_library"]
