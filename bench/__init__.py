"""Benchmarks: one table, ratios measured in one run."""
