"""A surface as text, JSON, page and picture."""
