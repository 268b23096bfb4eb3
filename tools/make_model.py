"""Make src/sfbow/data/model, the model inside the package, from GloVe 6B of 100 dimensions.

usage: python tools/make_model.py GLOVE_FILE

The settings are the recommended ones, chosen on SICK: see docs/settings.md. Words that the
tokenizer never gives (of more than one piece, or punctuation) are left out; of the others the most
frequent ones are kept, as many as 15 MB hold. Their weights are those of the whole vocabulary.
"""

import re
import sys
from pathlib import Path

from sfbow import SFBoW, Universe, WordVectors

WORDS = 117_000
UNIVERSE_WORDS = 50_000
TARGET = Path(__file__).parents[1] / "src/sfbow/data/model"


def main() -> None:
    """Build and save."""
    vectors = WordVectors.load(sys.argv[1])
    universe = Universe.ica(vectors.most_frequent(UNIVERSE_WORDS)).signed()
    whole = [word for word in vectors.words if re.fullmatch(r"\w+", word)]
    model = SFBoW(vectors.in_dictionary(whole[:WORDS]), universe).quantized()
    model.save_pretrained(TARGET)
    size = sum(file.stat().st_size for file in TARGET.iterdir())
    print(f"{len(model.vocabulary):,} words, {model.size} fuzzy sets, {size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
