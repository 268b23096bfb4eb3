"""The model is its formula, and `encode` keeps its contract whatever comes in."""

import itertools
import multiprocessing
import os
import re
import signal
import sys
import threading
import warnings
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from conftest import SENTENCES, WORDS, make_words, random_vectors, with_subwords
from hypothesis import given
from hypothesis import strategies as st

from sfbow import SFBoW, Universe, WordVectors, kernels
from sfbow.errors import InputError, OptionError
from sfbow.lookup import find
from sfbow.text import Texts
from sfbow.weights import word_weights

CLOSE = {"rtol": 1e-5, "atol": 1e-6}
sentences_of_words = st.lists(st.sampled_from([*WORDS, "unknown", "cats"]), max_size=12)
seeds = st.integers(0, 2**32 - 1)
MANY = [f"{SENTENCES[i % 7]} {WORDS[i * 3 % 10]}" for i in range(20_000)]


# Formulas


@given(sentences_of_words, sentences_of_words, seeds, st.booleans())
def test_the_model_of_the_paper_to_the_letter(s1, s2, seed, signed):
    """v̌(w) = U w; μ_S[j] = max over w in S of c(w) v̌(w)[j], from 0; J = Σ min / Σ max."""
    random = np.random.default_rng(seed)
    w = random.standard_normal((len(WORDS), 5)).astype(np.float32)
    u = random.standard_normal((7, 5)).astype(np.float32)
    universe = Universe(u)
    if signed:
        u, universe = np.vstack([u, -u]), universe.signed()
    model = SFBoW.paper(WordVectors(WORDS, w), universe, casing="keep")

    def mu(sentence):
        counts = Counter(word for word in sentence if word in WORDS)
        memberships = [
            [count * float(u[j].astype(float) @ w[WORDS.index(word)]) for j in range(len(u))]
            for word, count in counts.items()
        ]
        return np.array([max([0.0, *(m[j] for m in memberships)]) for j in range(len(u))])

    a, b = mu(s1), mu(s2)
    total = np.maximum(a, b).sum()
    jaccard = np.minimum(a, b).sum() / total if total else 0
    encoded = model.encode([s1, s2])
    np.testing.assert_allclose(encoded, [a, b], **CLOSE)
    np.testing.assert_allclose(model.similarity_pairwise(*encoded[:, None]), [jaccard], **CLOSE)
    np.testing.assert_allclose(model.similarity(*encoded[:, None]), [[jaccard]], **CLOSE)


@given(sentences_of_words, seeds, st.booleans())
def test_the_recommended_model_and_its_options(sentence, seed, counts):
    """μ[j] = max of f(c) · g · (U w)[j] over the words, from 0."""
    words, u = make_words(), random_vectors(4, 6, seed)
    weights = {word: row / 3 for row, word in enumerate(WORDS)}
    model = SFBoW(words, Universe(u), weights=weights, counts=counts, casing="keep")
    expected = np.zeros(4)
    for word, count in Counter(sentence).items():
        if word in words:
            vector = words[word].astype(float)
            factor = weights[word] * (count if counts else 1)
            expected = np.maximum(expected, factor * (u @ vector))
    np.testing.assert_allclose(model.encode([sentence])[0], expected, **CLOSE)


@given(st.lists(sentences_of_words, max_size=4), seeds, st.booleans())
def test_a_signed_universe_is_one_with_its_opposite_below(sentences, seed, counts):
    words, u = make_words(), random_vectors(5, 6, seed)
    signed = SFBoW(words, Universe(u).signed(), counts=counts)
    stacked = SFBoW(words, Universe(np.vstack([u, -u])), counts=counts)
    assert signed.size == stacked.size == 10
    np.testing.assert_allclose(signed.encode(sentences), stacked.encode(sentences), **CLOSE)


@given(sentences_of_words, st.randoms())
def test_a_sentence_is_a_set(sentence, random):
    """Neither the order of its words nor, without counts, their number matters."""
    model = SFBoW(make_words(), Universe.identity(6).signed())
    mixed = sentence * 2
    random.shuffle(mixed)
    np.testing.assert_array_equal(model.encode([mixed]), model.encode([sentence]))


def test_a_sentence_without_a_known_word_resembles_nothing(model):
    encoded = model.encode(["", "nothing", "entirely unheard-of", "the cat"])
    assert not encoded[:3].any()
    assert encoded[3].any()
    found = model.similarity(encoded, encoded)
    np.testing.assert_allclose(found, np.diag([0, 0, 0, 1]), atol=1e-6)


def test_punctuation_is_words_where_it_is_asked_for(words, universe):
    for model, is_word in (
        (SFBoW(words, universe), False),
        (SFBoW(words, universe, punctuation=True), True),
        (SFBoW.paper(words, universe), True),
        (SFBoW.paper(words, universe, punctuation=False), False),
    ):
        assert model.encode(" , ").any() == is_word


def test_auto_casing():
    universe, rows = Universe.identity(2), np.eye(2)
    assert SFBoW(WordVectors(["cat", "dog"], rows), universe).tokenizer.casing == "lower"
    assert SFBoW(WordVectors(["cat", "Dog"], rows), universe).tokenizer.casing == "both"
    assert SFBoW.paper(WordVectors(["cat", "Dog"], rows), universe).tokenizer.casing == "both"


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"measure": "cosine"}, OptionError, "measure"),
        ({"casing": "upper"}, OptionError, "casing"),
        ({"split": "letters"}, OptionError, "split"),
        ({"punctuation": 1}, OptionError, "punctuation"),
        ({"counts": "no"}, OptionError, "counts"),
        ({"memory_budget": -1}, OptionError, "memory_budget"),
        ({"memory_budget": "2 GB"}, OptionError, "memory_budget"),
        ({"weights": "idf"}, OptionError, "weights"),
    ],
)
def test_options_that_do_not_exist(words, universe, options, error, message):
    with pytest.raises(error, match=rf"^{message}: expected"):
        SFBoW(words, universe, **options)


def test_a_universe_of_another_dimension(words):
    with pytest.raises(InputError, match=r"universe: expected 6 dimensions, .* found 5"):
        SFBoW(words, Universe.identity(5))


# Unknown words


def test_unknown_words_are_composed(words, universe, subword_model):
    encoded = subword_model.encode(["unheard", "UNHEARD", "unheard, unheard", "cat unheard", "cat"])
    memberships = universe.axes @ with_subwords(words)["unheard"].astype(float)
    weight = word_weights(words, "sif").max()  # that of the rarest word
    expected = weight * np.concatenate([memberships, -memberships]).clip(0)
    np.testing.assert_allclose(encoded[0], expected, **CLOSE)
    np.testing.assert_array_equal(encoded[1], encoded[0])
    np.testing.assert_array_equal(encoded[3], np.maximum(encoded[0], encoded[4]))
    np.testing.assert_array_equal(encoded[2], encoded[0])


@pytest.mark.parametrize("budget", [0, 2**20])
def test_repeated_unknown_words_are_counted(words, universe, budget):
    model = SFBoW(with_subwords(words), universe, counts=True, memory_budget=budget)
    once, thrice, tokens = model.encode(["unheard cat", "unheard unheard cat unheard", "cat"])
    unheard = model.encode("unheard")
    assert unheard.any()
    np.testing.assert_allclose(thrice, np.maximum(3 * unheard, tokens), rtol=1e-6)
    np.testing.assert_allclose(once, np.maximum(unheard, tokens), rtol=1e-6)
    cut = model.encode([["unheard", "unheard", "cat", "unheard"]])
    np.testing.assert_array_equal(cut[0], thrice)


def test_an_unknown_word_is_the_same_everywhere(subword_model):
    texts = [f"word{number % 7} the x{number}" for number in range(500)]
    together = subword_model.encode(texts, threads=2)
    for place in (0, 250, 499):
        np.testing.assert_array_equal(together[place], subword_model.encode(texts[place]))


def test_casing_decides_whether_unknown_words_are_lowered(words, universe):
    encoded = {
        casing: SFBoW(with_subwords(words), universe, casing=casing).encode(["unheard", "UNHEARD"])
        for casing in ("lower", "keep", "both")
    }
    assert (encoded["lower"][0] == encoded["lower"][1]).all()
    assert (encoded["keep"][0] != encoded["keep"][1]).any()
    assert (encoded["both"][0] != encoded["both"][1]).any()


# What encode takes and gives


@pytest.fixture(params=["model", "subword_model", "rounded", "computed"])
def any_model(request, words, universe):
    if request.param == "rounded":
        return SFBoW(words, universe.signed()).quantized()
    if request.param == "computed":
        return SFBoW(words, universe.signed(), memory_budget=0, counts=True)
    return request.getfixturevalue(request.param)


def test_shapes_and_types(any_model):
    assert any_model.size == 18
    assert any_model.encode("the cat").shape == (18,)
    assert any_model.encode("").shape == (18,)
    for count in (0, 1, 7):
        encoded = any_model.encode(SENTENCES[:count])
        assert encoded.shape == (count, 18)
        assert encoded.dtype == np.float32
        assert (encoded >= 0).all()
    assert any_model.encode("the cat").dtype == np.float32


def test_alone_and_together(any_model):
    alone = [any_model.encode(sentence) for sentence in SENTENCES]
    np.testing.assert_array_equal(any_model.encode(SENTENCES), alone)
    np.testing.assert_array_equal(any_model.encode(SENTENCES * 2500)[-7:], alone)


def test_all_containers_give_the_same(model):
    expected = model.encode(SENTENCES)
    containers = [
        tuple(SENTENCES), iter(SENTENCES), (text for text in SENTENCES),
        dict.fromkeys(SENTENCES).keys(), np.array(SENTENCES, object), np.str_(SENTENCES[0]),
    ]  # fmt: skip
    if hasattr(np.dtypes, "StringDType"):
        containers.append(np.array(SENTENCES, np.dtypes.StringDType()))
    for container in containers:
        found = model.encode(container)
        np.testing.assert_array_equal(found, expected[0] if found.ndim == 1 else expected)


@pytest.mark.parametrize("kind", ["string", "large_string", "string_view"])
def test_arrow_gives_the_same(model, kind):
    pa = pytest.importorskip("pyarrow")
    texts = pa.array([*SENTENCES, None, "the cat"], getattr(pa, kind)())
    expected = model.encode([*SENTENCES, "", "the cat"])
    for array, rows in (
        (texts, slice(None)),
        (texts[2:], slice(2, None)),
        (texts.dictionary_encode() if kind != "string_view" else texts, slice(None)),
        (pa.chunked_array([texts[:3], texts[3:]]), slice(None)),
    ):
        np.testing.assert_array_equal(model.encode(array), expected[rows])
    assert model.encode(texts[:0]).shape == (0, 18)


def test_words_that_are_already_cut(model):
    expected = model.encode(["the cat sat", "", "Cat"])
    for tokens in (
        [["the", "cat", "sat"], [], ["Cat"]],
        (("the", "cat", "sat"), (), ("Cat",)),
        iter([["the", "cat", "sat"], (), np.array(["Cat"])]),
    ):
        np.testing.assert_array_equal(model.encode(tokens), expected)
    assert not model.encode([["the cat"]]).any(), "a word is looked up whole"


@pytest.mark.parametrize(
    ("texts", "message"),
    [
        (None, "texts: .* found NoneType"),
        (3, "texts: .* found int"),
        (b"text", "texts: .* found bytes"),
        ({"a": 1}, "texts: .* found dict"),
        (np.array("text"), "texts: .* found 0 dimensions"),
        (np.eye(2), "texts: .* found 2 dimensions"),
        (["a", None], "text 1: .* found NoneType"),
        (["a"] * 10_000 + [b"b"], "text 10000: .* found bytes"),
        (dict.fromkeys([*map(str, range(9000)), 3]).keys(), "text 9000: .* found int"),
        ([["a"]] * 9000 + [["a", 3]], "text 9000: .* found int"),
        ([["a"]] * 9000 + ["a"], "text 9000: .* found str"),
        (["a" * (1 << 24), "b", b"c"], "text 2: .* found bytes"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("threads", [1, 2])
def test_what_is_no_text_is_told_with_its_place(words, texts, message, threads):
    model = SFBoW(words, Universe.identity(6))
    with pytest.raises(InputError, match=rf"^{message}") as caught:
        model.encode(texts, threads=threads)
    with pytest.raises(InputError, match=rf"^{message}"):
        list(model.encode_batches(texts, threads=threads))
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("threads", [1, 2])
def test_texts_of_twenty_megabytes(any_model, threads):
    text = "the cat sat, " * 1_600_000
    if any_model._parts.counts:
        few = any_model.encode("the cat sat,")
        np.testing.assert_allclose(any_model.encode(text), few * 1_600_000, rtol=1e-5)
        return
    short = any_model.encode(["the cat sat, ", "dog"])
    encoded = any_model.encode([text, "dog"], threads=threads)
    np.testing.assert_array_equal(encoded, short)


def test_threads_change_nothing(any_model):
    one = any_model.encode(MANY, threads=1)
    np.testing.assert_array_equal(any_model.encode(MANY, threads=2), one)
    np.testing.assert_array_equal(any_model.encode(MANY), one)
    np.testing.assert_array_equal(any_model.encode(iter(MANY), threads=3), one)


@pytest.mark.parametrize("threads", [0, 1.5, "2"])
def test_numbers_of_threads_that_are_none(model, threads):
    with pytest.raises(OptionError, match=r"^threads: expected a whole number from 1"):
        model.encode(["a"], threads=threads)


def test_batches_of_a_stream_that_does_not_end(model):
    stream = model.encode_batches(itertools.cycle(SENTENCES), threads=2)
    parts = list(itertools.islice(stream, 3))
    stream.close()
    together = np.concatenate(parts)
    np.testing.assert_array_equal(together[:7], model.encode(SENTENCES))
    np.testing.assert_array_equal(together[7:], together[:-7])
    assert list(model.encode_batches([])) == []


# Where encode writes


def test_out(model, tmp_path):
    expected = model.encode(SENTENCES)
    array = np.full((7, 18), np.nan, np.float32)
    mapped = np.memmap(tmp_path / "out", np.float32, "w+", shape=(7, 18))
    for out in (array, mapped):
        assert model.encode(SENTENCES, out=out) is out
        np.testing.assert_array_equal(out, expected)
        out[:] = np.nan
        model.encode(iter(SENTENCES), out=out)
        np.testing.assert_array_equal(out, expected)
    larger = np.zeros((9, 18), np.float32)
    model.encode(SENTENCES, out=larger[1:8])
    np.testing.assert_array_equal(larger[1:8], expected)
    assert not larger[[0, 8]].any()
    row = np.empty(18, np.float32)
    model.encode(SENTENCES[0], out=row)
    np.testing.assert_array_equal(row, expected[0])


def read_only():
    array = np.empty((2, 18), np.float32)
    array.flags.writeable = False
    return array


@pytest.mark.parametrize(
    "out",
    [
        np.empty((2, 18)), np.empty((3, 18), np.float32), np.empty((2, 17), np.float32),
        np.empty(36, np.float32), np.empty((2, 18), np.float32, order="F"),
        np.empty((2, 36), np.float32)[:, ::2], np.empty((2, 18), ">f4"), read_only(),
        [[0.0] * 18] * 2, 3, "out",
    ],
    ids=["float64", "rows", "columns", "flat", "Fortran", "strided", "big endian", "read-only",
         "list", "number", "string"],
)  # fmt: skip
def test_where_nothing_can_be_written(model, out):
    for texts in (["a", "b"], "a"):
        with pytest.raises(InputError, match=r"^out: expected a writable C-contiguous array"):
            model.encode(texts, out=out)


@pytest.mark.parametrize("out", [3, "out", np.empty(3)])
def test_where_no_stream_can_be_written(model, out):
    with pytest.raises(InputError, match=r"^out: expected"):
        model.encode(iter(["a", "b"]), out=out)


@pytest.mark.parametrize(
    ("count", "message"),
    [(6, "expected 7, found 6"), (8, "expected 7, as rows in out, found more"), (0, "found 0")],
)
def test_a_stream_of_another_length_than_out(model, count, message):
    out = np.empty((7, 18), np.float32)
    with pytest.raises(InputError, match=rf"^sentences: .*{message}"):
        model.encode(itertools.repeat("the cat", count), out=out)


def test_an_endless_stream_into_out_ends(model):
    with pytest.raises(InputError, match="found more"):
        model.encode(itertools.repeat("the cat"), out=np.empty((7, 18), np.float32))


# Threads, processes, interrupts


def test_many_threads_at_once(any_model):
    expected = any_model.encode(MANY[:3000], threads=1)

    def encode(number: int) -> bool:
        found = any_model.encode(MANY[:3000], threads=1 + number % 3)
        return np.array_equal(found, expected)

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(encode, range(24)))


def encode_and_send(model, connection):
    connection.send_bytes(model.encode(MANY, threads=2).tobytes())


def test_after_a_fork(model):
    expected = model.encode(MANY, threads=2)
    context = multiprocessing.get_context("fork")
    ours, theirs = context.Pipe(duplex=False)
    with warnings.catch_warnings():  # other tests may have left threads behind
        warnings.simplefilter("ignore", DeprecationWarning)
        process = context.Process(target=encode_and_send, args=(model, theirs))
        process.start()
    assert ours.poll(60), "the process hangs"
    assert ours.recv_bytes() == expected.tobytes()
    process.join(10)
    assert process.exitcode == 0


def test_encoding_leaves_no_thread_behind(model):
    before = threading.enumerate()
    model.encode(MANY, threads=2)
    assert threading.enumerate() == before


def work_of_find():
    texts = Texts.of(["the cat sat " * 2_000_000])
    model = SFBoW(make_words(), Universe.identity(6))
    return lambda: find(texts, model.vocabulary, model.tokenizer)


def work_of_pool():
    table, rows = random_vectors(10, 500), np.zeros(2_000_000, np.int32)
    bounds, out = np.array([0, len(rows)]), np.empty((1, 500), np.float32)
    counts = np.empty(0, np.int32)
    return lambda: kernels.pool(table, table[:0], rows, bounds, counts, False, 1.0, out)


def work_of_comparing():
    sets, out = np.ones((3000, 200), np.float32), np.empty((3000, 3000), np.float32)
    return lambda: kernels.shared_by_pair(sets, sets, out)


@pytest.mark.parametrize("make_work", [work_of_find, work_of_pool, work_of_comparing])
def test_other_threads_run_meanwhile(make_work):
    work = make_work()
    work()
    begin, ran = threading.Event(), threading.Event()

    def run():
        begin.wait()
        ran.set()

    thread = threading.Thread(target=run)
    interval = sys.getswitchinterval()
    thread.start()
    try:
        sys.setswitchinterval(1000)  # from now on the GIL is given away, or kept
        begin.set()
        work()
        assert ran.is_set()
    finally:
        sys.setswitchinterval(interval)
        thread.join()


class Interrupting:
    """Texts, one of which is as if somebody pressed Ctrl-C."""

    def __init__(self):
        self.taken = 0

    def __len__(self):
        return 1_000_000

    def __iter__(self):
        while self.taken < len(self):
            self.taken += 1
            if self.taken == 100_000:
                os.kill(os.getpid(), signal.SIGINT)
            yield "the cat sat"


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("show_progress_bar", [False, True])
def test_ctrl_c_stops_soon_and_breaks_nothing(model, threads, show_progress_bar):
    texts = Interrupting()
    expected = model.encode(SENTENCES)
    workers = threading.active_count() + (show_progress_bar and threads == 1)
    with pytest.raises(KeyboardInterrupt):
        model.encode(texts, threads=threads, show_progress_bar=show_progress_bar)
    assert texts.taken < 150_000
    assert threading.active_count() <= workers + 1  # the bar may have one
    np.testing.assert_array_equal(model.encode(SENTENCES, threads=threads), expected)


def test_ctrl_c_while_others_work(model):
    timer = threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            for _ in model.encode_batches(itertools.repeat("the cat sat"), threads=2):
                pass
    finally:
        timer.cancel()
        timer.join()
    assert model.encode("the cat").any()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_progress_bar_is_shown_on_standard_error_only(model, capfd, threads):
    model.encode(MANY, threads=threads, show_progress_bar=True)
    shown = capfd.readouterr()
    assert shown.out == ""
    assert re.search(r"100%.*20000/20000", shown.err)
    model.encode(MANY, threads=threads)
    assert capfd.readouterr() == ("", "")


def test_the_model_tells_what_it_is(model, universe):
    assert model.vocabulary.words == WORDS
    assert model.measure == "otsuka"
    assert model.universe.is_signed
    np.testing.assert_array_equal(model.universe.axes, universe.axes)
    np.testing.assert_array_equal(
        model.similarity(model.encode(SENTENCES), model.encode("the cat")).shape, (7, 1)
    )
