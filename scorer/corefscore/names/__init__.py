"""Named entities: what can be asked of them, mentions that they name, a key that is estimated from them."""
