"""What a run showed: the entries of a record, how they are written, and what is asked of them."""
