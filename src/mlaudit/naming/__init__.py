"""Names: descriptions, fingerprints, versions, plug-ins and the codec of result files."""
