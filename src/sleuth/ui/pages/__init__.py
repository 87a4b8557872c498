"""The pages: each module answers the requests of one of them, and fills in its templates."""
