"""Codes that kernels and their callers share."""

# What is looked up: the word as it is written, in lower case, or the first that is known.
AS_GIVEN, LOWERED, GIVEN_THEN_LOWERED = range(3)

# The classes of characters in the table that tools/make_unicode_table.py makes.
SYMBOL, WORD, SPACE, IGNORED, EXTENDING = range(5)
