"""Explain a score: the types of errors, what each type costs, and which entities are confused."""
