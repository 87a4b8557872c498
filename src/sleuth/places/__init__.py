"""The line to change, where numbers alone gave a fault away: what source and record know of it."""
