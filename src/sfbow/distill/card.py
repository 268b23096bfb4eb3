"""The card of a distilled model: what it was made from, for those who find it."""

from collections.abc import Mapping
from importlib.metadata import version
from typing import Any

from sfbow.model import SFBoW

_CARD = """---
library_name: sfbow
pipeline_tag: sentence-similarity
tags: [sentence-similarity, static-embeddings, fuzzy-sets, distillation]
---

# A static fuzzy bag-of-words model

{words:,} words, {size} fuzzy sets, 8 bits, compared by `{measure}`. Distilled by sfbow {version}:

| | |
|---|---|
{rows}

The teacher's licence, and that of the texts, may bind this model as well.
"""


def model_card(model: SFBoW, facts: Mapping[str, Any]) -> str:
    """Write the card; ``facts`` are rows of its table."""
    return _CARD.format(
        words=len(model.vocabulary),
        size=model.size,
        measure=model.measure,
        version=version("sfbow"),
        rows="\n".join(f"| {name} | {value} |" for name, value in facts.items()),
    )
