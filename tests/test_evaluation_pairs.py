"""Reading pairs with scores: the official layouts, and each way in which they can be broken."""

import shutil
from pathlib import Path

import numpy as np
import pytest

from sfbow import InputError, OptionError
from sfbow.evaluation import read_pairs, read_sick, read_sts, sts_folder

NAMES = {
    "STS12": ["MSRpar", "MSRvid", "SMTeuroparl", "surprise.OnWN", "surprise.SMTnews"],
    "STS13": ["FNWN", "headlines", "OnWN"],
    "STS14": ["deft-forum", "deft-news", "headlines", "images", "OnWN", "tweet-news"],
    "STS15": ["answers-forums", "answers-students", "belief", "headlines", "images"],
    "STS16": ["answer-answer", "headlines", "plagiarism", "postediting", "question-question"],
}
SICK_HEADER = "pair_ID\tsentence_A\tsentence_B\trelatedness_score\tentailment_judgment\n"
SICK_ROW = "1\tA dog\tA cat\t2.5\tNEUTRAL\n"


@pytest.fixture
def sts(tmp_path) -> Path:
    """Give all sub-datasets, of three pairs each; the second has no score."""
    for edition, names in NAMES.items():
        folder = tmp_path / "sts" / f"{edition}-en-test"
        folder.mkdir(parents=True)
        for name in names:
            (folder / f"STS.input.{name}.txt").write_text("a\tb\nc\td\ne\tf\n", "utf-8")
            (folder / f"STS.gs.{name}.txt").write_text("1.5\n\n4\n", "utf-8")
    return tmp_path / "sts"


def texts_of(sts) -> Path:
    return sts / "STS12-en-test" / "STS.input.MSRvid.txt"


def scores_of(sts) -> Path:
    return sts / "STS12-en-test" / "STS.gs.MSRvid.txt"


def msrvid(sts):
    return read_sts(sts).editions[0].sets[1]


def fault_of(sts) -> str:
    with pytest.raises(InputError) as caught:
        read_sts(sts)
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_pairs_without_a_score_are_left_out(sts):
    pairs = msrvid(sts)
    assert (pairs.name, pairs.left, pairs.right) == ("MSRvid", ["a", "e"], ["b", "f"])
    np.testing.assert_array_equal(pairs.gold, [1.5, 4])
    assert len(read_sts(sts)) == 2 * 24


def test_later_columns_are_no_text(sts):
    texts_of(sts).write_text("a\tb\tsource\thttp://x\nc\td\n\te\n", "utf-8")
    assert msrvid(sts).right == ["b", "e"]
    assert msrvid(sts).left == ["a", ""]


def test_lines_may_end_as_on_windows_and_hold_other_marks(sts):
    texts_of(sts).write_bytes("\ufeffa\u2028a\tb\x85b\r\nc\td\r\ne\x0be\tf\r\n".encode())
    scores_of(sts).write_bytes(b"\xef\xbb\xbf1.5\r\n\r\n4\r\n")
    pairs = msrvid(sts)
    assert pairs.left == ["a\u2028a", "e\x0be"]
    assert pairs.right == ["b\x85b", "f"]


def test_the_last_line_needs_no_end(sts):
    texts_of(sts).write_text("a\tb\nc\td", "utf-8")
    scores_of(sts).write_text("\n3", "utf-8")
    assert msrvid(sts).left == ["c"]


def test_scores_without_texts_are_left_out_as_in_sts13(sts):
    (sts / "STS13-en-test" / "STS.gs.SMT.txt").write_text("1\n2\n", "utf-8")
    assert [each.name for each in read_sts(sts).editions[1].sets] == NAMES["STS13"]


@pytest.mark.parametrize("score", ["x", "nan", "inf", "1_0", "4.0\t3", "1,5"])
def test_a_score_that_is_no_number(sts, score):
    scores_of(sts).write_text(f"1\n\n{score}\n", "utf-8")
    message = fault_of(sts)
    assert message.startswith(f"{scores_of(sts)}, line 3: ")
    assert repr(score) in message


@pytest.mark.parametrize(("scores", "line"), [("1\n2\n", 3), ("1\n\n3\n4\n", 4), ("", 1)])
def test_different_line_counts(sts, scores, line):
    scores_of(sts).write_text(scores, "utf-8")
    message = fault_of(sts)
    assert message.startswith(f"{scores_of(sts)}, line {line}: expected 3 lines, as ")
    assert texts_of(sts).name in message


def test_a_line_without_a_tab(sts):
    texts_of(sts).write_text("a b\nc\te\ne\tf\n", "utf-8")
    assert fault_of(sts).startswith(f"{texts_of(sts)}, line 1: expected two texts")


def test_bytes_that_are_no_text(sts):
    texts_of(sts).write_bytes(b"a\tb\nc\td\ne\t\xff\n")
    message = fault_of(sts)
    assert message.startswith(f"{texts_of(sts)}, line 3: expected UTF-8, found the byte 0xff")


def test_no_score_at_all(sts):
    scores_of(sts).write_text("\n\n\n", "utf-8")
    assert fault_of(sts).startswith(f"{scores_of(sts)}: expected scores, found none")


@pytest.mark.parametrize("path", [texts_of, scores_of])
def test_a_missing_sub_dataset(sts, path):
    path(sts).unlink()
    message = fault_of(sts)
    assert message.startswith(f"{path(sts)}: expected the ")
    assert "of MSRvid" in message
    assert "rename" not in message


def test_a_missing_edition(sts):
    shutil.rmtree(sts / "STS14-en-test")
    message = fault_of(sts)
    assert message.startswith(f"{sts / 'STS14-en-test'}: expected the folder of STS14")
    assert "rename" not in message


@pytest.mark.parametrize("name", ["STS2014-en-test", "sts14-en-tset", "STS14_en_test"])
def test_a_misspelt_edition(sts, name):
    (sts / "STS14-en-test").rename(sts / name)
    assert f"found only {name!r}; rename it to STS14-en-test" in fault_of(sts)


def test_an_edition_asked_for_by_a_wrong_name(sts):
    with pytest.raises(OptionError, match="found 'STS17'"):
        read_sts(sts, editions=["STS17"])
    with pytest.raises(OptionError, match=r"found \[\]"):
        read_sts(sts, editions=[])


def test_a_level_too_low(sts):
    assert f"the files of one edition; give {sts}" in fault_of(sts / "STS12-en-test")


def test_a_level_too_high(sts):
    assert f"found them one level below; give {sts}" in fault_of(sts.parent)


def test_no_folder(tmp_path):
    assert "no such folder; check the path" in fault_of(tmp_path / "none")
    (tmp_path / "file").touch()
    assert "found a file" in fault_of(tmp_path / "file")
    (tmp_path / "empty").mkdir()
    assert str(tmp_path / "empty" / "STS12-en-test") in fault_of(tmp_path / "empty")


def test_the_folder_in_the_cache(tmp_path, monkeypatch, sts):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    assert sts_folder() == tmp_path / "cache" / "sfbow" / "sts"
    with pytest.raises(InputError, match=r"`sfbow download sts`, or use --data DIR"):
        read_sts()
    shutil.copytree(sts, sts_folder())
    assert len(read_sts(editions=["STS13"])) == 6
    monkeypatch.setenv("HOME", str(tmp_path))
    for unset in ("", "relative"):
        monkeypatch.setenv("XDG_CACHE_HOME", unset)
        assert sts_folder() == tmp_path / ".cache" / "sfbow" / "sts"


def test_the_official_data(shared_folder):
    benchmark = read_sts(shared_folder("sts"))
    counts = {edition.name: len(edition) for edition in benchmark.editions}
    assert counts == {"STS12": 3108, "STS13": 1500, "STS14": 3750, "STS15": 3000, "STS16": 1186}
    assert len(benchmark) == 12544
    assert [edition.support for edition in benchmark.editions] == [5250, 2250, 3750, 3000, 1186]


def write_sick(folder, train=SICK_HEADER + SICK_ROW, trial=SICK_HEADER + SICK_ROW):
    (folder / "SICK_train.txt").write_text(train, "utf-8", newline="")
    (folder / "SICK_trial.txt").write_text(trial, "utf-8", newline="")


def test_sick(tmp_path):
    write_sick(tmp_path, (SICK_HEADER + SICK_ROW + "\n").replace("\n", "\r\n"))
    (edition,) = read_sick(tmp_path).editions
    (pairs,) = edition.sets
    assert (pairs.left, pairs.right, pairs.gold.tolist()) == (
        ["A dog", "A dog"],
        ["A cat", "A cat"],
        [2.5, 2.5],
    )


def test_the_official_sick(shared_folder):
    assert len(read_sick(shared_folder("sick"))) == 5000


@pytest.mark.parametrize(
    ("train", "expected"),
    [
        ("", "line 1: expected the header pair_ID sentence_A"),
        (SICK_ROW, "line 1: expected the header pair_ID sentence_A"),
        (SICK_HEADER, "SICK_train.txt: expected pairs with scores, found none"),
        (SICK_HEADER + "1\ta\tb\t3\n", "line 2: expected 5 columns, as in the header, found 4"),
        (SICK_HEADER + SICK_ROW[:-1] + "\tx\n", "line 2: expected 5 columns"),
        (SICK_HEADER + SICK_ROW + "2\ta\tb\tx\tNEUTRAL\n", "line 3: expected a score"),
    ],
)
def test_broken_sick(tmp_path, train, expected):
    write_sick(tmp_path, train)
    with pytest.raises(InputError, match=r"SICK_train\.txt") as caught:
        read_sick(tmp_path)
    assert expected in str(caught.value)


def test_missing_sick(tmp_path):
    with pytest.raises(InputError, match=r"none: expected a folder with SICK_train.txt and"):
        read_sick(tmp_path / "none")
    write_sick(tmp_path)
    (tmp_path / "SICK_trial.txt").unlink()
    with pytest.raises(InputError, match=r"SICK_trial.txt: .* found no such file"):
        read_sick(tmp_path)


@pytest.mark.parametrize("header", ["", "sentence1\tsentence2\tscore\n"])
def test_pairs_of_ones_own(tmp_path, header):
    (tmp_path / "own.tsv").write_text(header + "a\tb\t0.5\nc\td\t-1e-3\n", "utf-8")
    (edition,) = read_pairs(tmp_path / "own.tsv").editions
    assert edition.name == "own.tsv"
    assert edition.sets[0].right == ["b", "d"]
    assert edition.sets[0].gold.tolist() == [0.5, -0.001]


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("", ": expected pairs with scores, found none"),
        ("a\tb\tscore\n", ": expected pairs with scores, found none"),
        ("a\tb\n", ", line 1: expected two texts and a score with tabs between, found 2 columns"),
        ("a\tb\t1\nc\td\t2\te\n", ", line 2: expected two texts and a score with tabs"),
        ("a\tb\t1\n\n", ", line 2: expected two texts and a score with tabs between, found 1 col"),
        ("a\tb\thigh\n", ", line 1: expected a score, which is a number, found 'high'"),
        ("a\tb\t1\na\tb\tscore\n", ", line 2: expected a score"),
        ("a\tb\t" + 100 * "x", ", line 1: expected a score, which is a number, found 'xxx"),
    ],
)
def test_broken_pairs(tmp_path, content, expected):
    path = tmp_path / "own.tsv"
    path.write_text(content, "utf-8")
    with pytest.raises(InputError) as caught:
        read_pairs(path)
    assert str(caught.value).startswith(f"{path}{expected}")
    assert len(str(caught.value)) < len(str(path)) + 140


def test_a_folder_is_no_file_of_pairs(tmp_path):
    with pytest.raises(InputError, match="expected a text file, found a folder"):
        read_pairs(tmp_path)
