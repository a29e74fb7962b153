"""Datasets to audit on: published ones by name, one file each, tables from files, and typed tables."""

from mlaudit.datasets._from_table import from_table
from mlaudit.datasets._load import load
from mlaudit.types.columns import Columns
from mlaudit.types.number_columns import Boolean, Integer, Number
from mlaudit.types.preparation import Preparation
from mlaudit.types.text_columns import Category, Text

__all__ = [
    "Boolean",
    "Category",
    "Columns",
    "Integer",
    "Number",
    "Preparation",
    "Text",
    "from_table",
    "load",
]
