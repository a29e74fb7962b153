"""Mechanisms that mlaudit ships, with their claims and summaries. One file each."""
