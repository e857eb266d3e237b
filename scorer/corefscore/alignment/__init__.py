"""What of a response belongs to what of the key: documents, words, mentions, copies."""
