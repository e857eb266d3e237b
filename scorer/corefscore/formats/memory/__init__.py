"""Clusters in memory as documents."""
