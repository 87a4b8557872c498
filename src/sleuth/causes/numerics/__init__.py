"""Floating-point arithmetic."""
