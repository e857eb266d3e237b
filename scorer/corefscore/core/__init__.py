"""Hold what every other folder uses: documents, files, findings, errors, workers and the version."""
