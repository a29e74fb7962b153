"""Looking through everything a fitted object holds for what betrays one row."""
