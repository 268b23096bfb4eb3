"""Facts as a table for people."""

from collections.abc import Iterator

from sfbow.cli.facts import Facts

_OF_PROGRAM = "arrays"  # the source of words that no file held
_UNITS = ("bytes", "KB", "MB", "GB", "TB")


def as_table(rows: list[tuple[str, str]]) -> str:
    """Align names and values; a value may have several lines."""
    width = max(len(name) for name, _ in rows) + 2
    indent = "\n" + " " * width
    lines = (name.ljust(width) + value.replace("\n", indent) for name, value in rows)
    return "\n".join(line.rstrip() for line in lines)


def fact_rows(facts: Facts) -> list[tuple[str, str]]:
    """Say the facts of a model, of an index or of word vectors in words."""
    if facts["kind"] == "index":
        return _index_rows(facts)
    is_model = facts["kind"] == "model"
    return [
        (facts["kind"], facts["path"]),
        *([] if is_model else [("format", facts["format"])]),
        ("words", _words(facts)),
        ("casing", "with capitals" if facts["cased"] else "lower case"),
        ("subwords", _subwords(facts)),
        *(_model_rows(facts) if is_model else [("dimensions", str(facts["dimensions"]))]),
        ("on disk", f"{size_text(facts['bytes'])}{_files(facts['files'])}"),
    ]


def _index_rows(facts: Facts) -> list[tuple[str, str]]:
    return [
        ("index", facts["path"]),
        ("rows", f"{facts['rows']:,}"),
        ("vectors", f"{facts['size']:,} fuzzy sets, {facts['storage']}"),
        ("measure", facts["measure"]),
        ("on disk", f"{size_text(facts['bytes'])}{_files(facts['files'])}"),
    ]


def _model_rows(facts: Facts) -> Iterator[tuple[str, str]]:
    universe, settings = facts["universe"], facts["settings"]
    yield "universe", _universe(facts)
    if "explained_variance" in universe:
        yield "variance", _variance(universe["explained_variance"])
    if "wcsos" in universe:
        yield "clusters", _clusters(universe)
    yield "measure", settings["measure"]
    yield "weights", _weights(settings)
    yield "tokens", _tokens(settings)
    yield "numbers", f"{facts['bits']} bits each"


def _words(facts: Facts) -> str:
    first = " ".join(facts["first_words"])
    if facts["words"] is not None:
        count = f"{facts['words']:,}"
    elif facts["words_estimate"] is not None:
        count = f"about {facts['words_estimate']:,}, guessed from the length of the first lines"
    else:
        count = "unknown before the file is unpacked"
    source = facts.get("source", _OF_PROGRAM)
    return f"{count}{'' if source == _OF_PROGRAM else f' from {source}'}\n{first} …"


def _subwords(facts: Facts) -> str:
    subwords = facts["subwords"]
    if subwords is None:
        return "none: unknown words are left out"
    lengths = f"{subwords['shortest']} to {subwords['longest']} characters"
    return f"{lengths}, {subwords['buckets']:,} buckets: unknown words get a vector, too"


def _universe(facts: Facts) -> str:
    universe, size = facts["universe"], facts["size"]
    kind = universe["kind"].replace("_", "-")
    sign = f", signed ({size // 2} axes and their opposites)" if universe["signed"] else ""
    lines = [f"{kind}: {size} fuzzy sets over {facts['dimensions']} dimensions{sign}"]
    if "words" in universe:
        made = f"made from {universe['words']:,} words in {universe['seconds']:.1f} s"
        lines.append(made + _rounds(universe))
    return "\n".join(lines)


def _rounds(universe: Facts) -> str:
    if "iterations" not in universe:
        return ""
    rest = "at rest" if universe.get("converged") else "not yet at rest"
    return f", {universe['iterations']} rounds, {rest}, seed {universe.get('seed')}"


def _variance(explained: list[float]) -> str:
    total = sum(explained) or 1.0
    half, reached = 0, 0.0
    while reached < total / 2 and half < len(explained):
        reached += explained[half]
        half += 1
    return f"the first axis explains {explained[0] / total:.1%}, the first {half} explain half"


def _clusters(universe: Facts) -> str:
    noise = f", {universe['noise_share']:.1%} noise" if "noise_share" in universe else ""
    return (
        f"{universe['clusters']:,}{noise}; sum of squares within {universe['wcsos']:.4g}, "
        f"between {universe['bcsos']:.4g}"
    )


def _weights(settings: Facts) -> str:
    weights = settings["weights"]
    if isinstance(weights, dict):
        weights = f"sif, a = {weights.get('sif'):g}, frequencies from {weights.get('frequencies')}"
    counts = "a word counts as often as it occurs" if settings["counts"] else "a word counts once"
    return f"{weights or 'none'}; {counts}"


def _tokens(settings: Facts) -> str:
    casings = {
        "lower": "looked up in lower case",
        "keep": "looked up as written",
        "both": "looked up as written, else in lower case",
    }
    between = "between spaces, " if settings["split"] == "spaces" else ""
    punctuation = "" if settings["punctuation"] else ", without punctuation"
    return f"{between}{casings[settings['casing']]}{punctuation}"


def size_text(size: float) -> str:
    """Say a number of bytes."""
    for unit in _UNITS:
        if size < 1000 or unit == _UNITS[-1]:
            break
        size /= 1000
    return f"{size:,.0f} {unit}" if unit == "bytes" else f"{size:,.1f} {unit}"


def _files(count: int) -> str:
    return f" in {count} files" if count > 1 else ""
