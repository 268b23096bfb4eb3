"""Near-duplicates: an exact join of all texts with all, and the groups that it connects."""
