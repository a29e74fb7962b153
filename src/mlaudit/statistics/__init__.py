"""Bounds and tests on counts and arrays: binomial limits, the nested scan, the e-process, one-run and Gaussian DP.

Everything is a function of numbers that were observed. Nothing here trains a model or draws a random number.
"""
