"""Reports of error analyses: of one response, error by error, and of two responses to one key."""
