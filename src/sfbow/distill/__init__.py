"""Word memberships that a transformer teaches."""
