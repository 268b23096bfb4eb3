"""The paper's experiment: its grid of universes and baselines, its tables, its figures."""
