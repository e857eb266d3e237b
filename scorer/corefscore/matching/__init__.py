"""Find which documents, words and mentions of key and response are the same."""
