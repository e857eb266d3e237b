"""Scores of kinds of mentions and entities: what ``--of`` asks for, which mention is of which kind, and counts."""
