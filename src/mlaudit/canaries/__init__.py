"""Audits of a single training with many canaries, and of its steps one by one."""
