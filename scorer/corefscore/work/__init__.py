"""Where work is done: in one process, in several, or by a Dask cluster."""
