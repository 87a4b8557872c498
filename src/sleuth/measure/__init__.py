"""What a model, a batch and a loss show when they are tried, and are put back bit for bit."""
