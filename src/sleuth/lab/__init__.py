"""Runs a user's script in a child process, as it is or in a changed world, and keeps hold of its loops."""
