"""The one judge: what was seen of a script goes in, causes with credences come out. No torch, no files."""
