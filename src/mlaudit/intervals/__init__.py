"""Lower confidence bounds on ln((p₁ − δ)/p₀) from two counts, one to a file."""
