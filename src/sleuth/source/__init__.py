"""What a script says, read and never run: its files, syntax, abstract run, training loop and edits."""
