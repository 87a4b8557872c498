"""The machine, the seed and the libraries."""
