"""Twenty differentially private mechanisms.

Each is a function of a dataset and a generator. The neighbour relation is replace-one: the number of rows is public.
"""
