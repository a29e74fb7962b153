"""Compiled kernels (numba) that make samplers fast; a reader of the product can skip this room.

A kernel computes what numpy, scipy or a library also computes, only faster; tests compare them. Random generators are
in `mt19937` and `xoshiro`, decorators in `jit`, vectors of sixteen numbers in `lanes`, the minimiser of many logistic
regressions in `lockstep`.

A loop that calls a function which is not inlined counts references to every array in each round. That took nine
tenths of the time of one kernel: call such functions outside of the innermost loops.

numba caches machine code by the file of the outermost kernel: after editing a kernel that others call, delete
`__pycache__`.
"""
