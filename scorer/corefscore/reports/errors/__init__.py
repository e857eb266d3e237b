"""Reports of error analyses: of one response, as a list of errors, and of two responses to one key."""
