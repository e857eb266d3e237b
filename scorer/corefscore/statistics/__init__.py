"""Compute confidence intervals and significance tests from counts of documents or other units."""
