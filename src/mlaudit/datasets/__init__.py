"""Datasets to audit on: published ones by name, one file each, and tables from files."""

from mlaudit.datasets._load import load
from mlaudit.types.preparation import Preparation

__all__ = ["Preparation", "load"]
