"""Minimise many logistic regressions at once: L-BFGS in lockstep, with the steps of scipy's `fmin_l_bfgs_b`.

The objectives share the data and differ in a linear term, the noise. A *lane* minimises one of them. All lanes take
one step at a time, so that one matrix product with the data serves every lane.

A lane ends where scipy ends, not just near the same minimiser: ten pairs of memory, a first step of length 1, the
same line search, the same tests for stopping. It agrees with scipy to about 1e-12 in double precision, and to far
less than the tolerance in single precision.

Arrays hold one lane in each column. Loops over lanes are then elementwise: the compiler vectorises them without
reordering a sum, and no lane's numbers depend on its neighbours.

| module | contents |
| --- | --- |
| `minimise` | the two entry points, in single and in double precision |
| `schedule` | one step of every lane; ended lanes take the next row of noise |
| `problem` | what all lanes share: data, penalty, stopping rules |
| `objective` | value and gradient of every lane's objective |
| `products` | products of the data with every lane's vector, in single precision |
| `direction` | the L-BFGS memory and the search directions |
| `line_search` | the line search of Moré and Thuente |
| `state` | the numbers of every lane, and the names of their rows |
| `losses`, `vectors`, `factorisation` | elementwise loops that the modules above call |
"""
