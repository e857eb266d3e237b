"""The version of the package, which is part of every signature."""

__version__ = "0.1.0"
