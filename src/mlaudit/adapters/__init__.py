"""Adapters that make a mechanism of a function, an estimator or an object with fit."""
