"""corefscore: scores coreference in CoNLL format exactly as the official scorer does."""

__version__ = "0.1.0"
