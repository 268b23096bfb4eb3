"""The models that the paper compares with, all used alike.

A model with sentence vectors has ``encode``, ``similarity`` and ``similarity_pairwise``, as SFBoW
has; one that has to see both texts of a pair has ``similarity_of_texts``.
"""

from sfbow.baselines.average_of_words import AverageOfWords
from sfbow.baselines.bag_of_words import BagOfWords
from sfbow.baselines.dynamax import DynaMax
from sfbow.baselines.fuzzy_bag_of_words import FuzzyBagOfWords
from sfbow.baselines.sent2vec import Sent2Vec
from sfbow.baselines.sentence_transformer import SentenceTransformerModel
from sfbow.baselines.sif import SifEmbedding

__all__ = [
    "AverageOfWords",
    "BagOfWords",
    "DynaMax",
    "FuzzyBagOfWords",
    "Sent2Vec",
    "SentenceTransformerModel",
    "SifEmbedding",
]
