"""Tests and intervals from counts per unit."""
