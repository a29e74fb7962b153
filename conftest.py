"""What holds for every test: a test whose extra is not installed is skipped."""

pytest_plugins = ["missing_extras"]
