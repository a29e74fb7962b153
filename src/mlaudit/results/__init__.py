"""The result of an audit: values, text, JSON, and what a replay rebuilds from it."""
