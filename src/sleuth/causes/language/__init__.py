"""What a language model is fed, trained on and asked to write."""
