"""Readers: from the files of one side to batches of documents."""
