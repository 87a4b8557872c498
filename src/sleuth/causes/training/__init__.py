"""The loop that minimises it."""
