"""The view as text and as a page."""
