"""Documents from clusters in memory."""
