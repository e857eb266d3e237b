"""Documents in columns, and what is done with columns."""
