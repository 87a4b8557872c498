"""Physics-informed models."""
