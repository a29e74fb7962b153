"""Differentially private SGD on small networks: what is trained, and its trainers, Opacus and compiled kernels."""
