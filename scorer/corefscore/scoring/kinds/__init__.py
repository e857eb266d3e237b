"""Scores of kinds of mentions and entities: the values of ``--of``, the kind of each mention, and counts by kind."""
