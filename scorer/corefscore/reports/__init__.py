"""Build what a command reports, as tables and as data, and lay it out as text."""
