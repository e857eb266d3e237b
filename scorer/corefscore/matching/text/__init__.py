"""The words of a response found in the key: for text that language models write, and for other tokenisations.

`characters` makes the texts comparable, `alignment` finds one in the other, `projection` brings documents onto the
tokens of the key, `zeros` those that are empty nodes, `fidelity` counts how far the text is still the text. The rule of
what is aligned where is that of `alignment`.
"""
