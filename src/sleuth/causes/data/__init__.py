"""What goes into the model, and what is held back from it."""
