"""Data in, text out: every page, table and export that people and programs read."""
