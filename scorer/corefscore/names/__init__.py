"""Named entities: their options, named mentions, and a key that is estimated from names."""
