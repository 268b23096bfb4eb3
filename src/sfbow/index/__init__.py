"""Search among many fuzzy sets: stored levels, exact scanning, an approximate graph."""
