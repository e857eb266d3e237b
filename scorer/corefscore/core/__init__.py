"""Hold what every other folder uses: documents, files, findings, errors, workers and the version."""

__version__ = "0.1.0"
