"""Differentially private SGD on small networks: networks, plans, accountant and two trainers.

`opacus_loop` trains with Opacus and torch. `compiled` runs the same algorithm in the kernels of `kernels/`, many
times faster; both take the same arguments.
"""
