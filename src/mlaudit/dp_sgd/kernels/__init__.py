"""Compiled kernels of DP-SGD; a reader of the product can skip this folder and read `opacus_loop` instead.

`training` is the whole training, `passes` the forward and backward pass of sixteen examples, `convolutions` what a
convolution does in them. `winograd`, `tiles`, `transpose` and `lanes` are their inner loops in LLVM vectors; `layout`
has the offsets in the one array that they work in. Tests compare them with Opacus and numpy.
"""
