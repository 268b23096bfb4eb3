"""How universes are made: clusterings and decompositions of word vectors."""
