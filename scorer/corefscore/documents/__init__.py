"""Documents as columns, where their bytes come from, and operations on columns."""
