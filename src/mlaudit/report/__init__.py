"""HTML, Markdown, CSV and figures of a run or a sweep."""
