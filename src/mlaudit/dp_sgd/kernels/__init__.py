"""Compiled kernels of DP-SGD; a reader of the product can skip this folder and read `opacus_loop` instead.

`training` is the whole training, `passes` the forward and backward pass of sixteen examples, `tiles` and `lanes` its
inner loops in LLVM vectors, `layout` the offsets in the one array they work in. Tests compare them with Opacus.
"""
