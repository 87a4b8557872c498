"""Changed worlds: the same script, with one thing taken away, added or turned at the doors of torch."""
