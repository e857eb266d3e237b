"""Score a response: from settings and both sides, stage by stage, to the result."""
