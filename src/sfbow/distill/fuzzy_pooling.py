"""Sentences as fuzzy sets, as PyTorch differentiates them."""

import torch
from torch import Tensor


def pool(table: Tensor, tokens: Tensor) -> Tensor:
    """μ = [max(0, max over w of v(w)), max(0, max over w of -v(w))]: a signed universe's.

    ``tokens`` has the rows of a sentence's words, the first again where there are fewer. Only the
    words that give a maximum get a gradient, so no sentence's vectors are kept for later.
    """
    size = table.shape[1]
    with torch.no_grad():
        vectors = table[tokens]
        axes = torch.arange(size, device=table.device)
        highest = tokens.gather(1, vectors.argmax(1)) * size + axes
        lowest = tokens.gather(1, vectors.argmin(1)) * size + axes
        places = torch.cat([highest, lowest], 1)
    memberships = table.view(-1).gather(0, places.view(-1)).view(places.shape)
    return torch.cat([memberships[:, :size], -memberships[:, size:]], 1).relu()
