"""Faster ways to draw a mechanism's summaries; one file each, named <mechanism>_<kind>.py and found by that name.

A *mirror* follows the library's own random stream: the same seed gives the same model as the library's fit. A
*batched* sampler draws from the same distribution, with noise of its own. Each file declares a `SamplerSpec` in
`SAMPLER`.
"""
