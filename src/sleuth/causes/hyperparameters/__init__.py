"""The knobs."""
