"""Makes a mechanism of a plain function or an estimator."""
