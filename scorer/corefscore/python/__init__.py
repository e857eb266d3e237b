"""Offer scoring to Python: the functions and classes of `import corefscore`."""
