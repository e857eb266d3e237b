"""Who does the work: one process, several, a Dask cluster."""
