"""A transformer small enough to make on the spot, and sentences for it."""

from pathlib import Path

import numpy as np

WORDS = [f"{a}{b}" for a in "bdfgklmnprst" for b in ("a", "e", "i", "o", "u", "ab", "eg", "ol")]
SENTENCES = [
    " ".join(np.random.default_rng(seed).choice(WORDS, 3 + seed % 7)) for seed in range(400)
]


def make_teacher(folder: Path) -> Path:
    """Save a model of sentence-transformers: a BERT of two tiny layers with random weights."""
    import torch
    from sentence_transformers import SentenceTransformer
    from transformers import BertConfig, BertModel, BertTokenizerFast

    try:
        from sentence_transformers.sentence_transformer.modules import Pooling, Transformer
    except ImportError:  # before sentence-transformers 6
        from sentence_transformers.models import Pooling, Transformer

    bert = folder / "bert"
    bert.mkdir(parents=True)
    vocabulary = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *WORDS, "##a", "!"]
    (bert / "vocab.txt").write_text("\n".join(vocabulary) + "\n")
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=len(vocabulary),
        hidden_size=16,
        num_hidden_layers=2,
        num_attention_heads=2,
        intermediate_size=32,
        hidden_dropout_prob=0.0,
    )
    model = BertModel(config)
    with torch.no_grad():  # so that what a sentence says depends on its words above all
        model.embeddings.word_embeddings.weight.normal_()
        model.embeddings.position_embeddings.weight.zero_()
    model.save_pretrained(bert)
    BertTokenizerFast(str(bert / "vocab.txt")).save_pretrained(bert)
    layers = Transformer(str(bert), max_seq_length=32)
    SentenceTransformer(modules=[layers, Pooling(16)], device="cpu").save(str(folder / "teacher"))
    return folder / "teacher"
