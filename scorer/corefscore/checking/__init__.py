"""Validate, repair and convert files, and read the baselines that scores are checked against."""
