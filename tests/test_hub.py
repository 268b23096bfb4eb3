"""A path is a path; only a name that is none asks the hub, and only when that is there."""

import sys
import types
from pathlib import Path

import pytest

from sfbow import SFBoW
from sfbow.errors import InputError, MissingExtraError, ModelFolderError
from sfbow.hub import EMBEDDED, find_model


@pytest.fixture
def hub(monkeypatch):
    """Put another hub in the place of the real one, and collect what it is asked for."""
    module = types.ModuleType("huggingface_hub")
    module.asked = []
    module.answer = "/nowhere"

    def snapshot_download(name, **options):
        module.asked.append((name, options))
        if isinstance(module.answer, Exception):
            raise module.answer
        return module.answer

    module.snapshot_download = snapshot_download
    monkeypatch.setitem(sys.modules, "huggingface_hub", module)
    return module


@pytest.fixture
def no_hub(monkeypatch):
    monkeypatch.setitem(sys.modules, "huggingface_hub", None)


@pytest.fixture
def folder(tmp_path, monkeypatch, model):
    monkeypatch.chdir(tmp_path)
    model.save_pretrained("owner/name")
    return tmp_path / "owner" / "name"


def test_a_folder_never_asks_the_hub(folder, hub, model):
    for name in (folder, str(folder), Path("owner/name"), "owner/name", "./owner/name"):
        assert SFBoW.from_pretrained(name).encode("the cat").tolist() == (
            model.encode("the cat").tolist()
        )
    assert hub.asked == []


@pytest.mark.parametrize(
    "name",
    ["nowhere", "owner/nowhere", "/nowhere/name", "./nowhere/name", "../nowhere/name", "a/b/c",
     "owner/", "owner name/x", "", "~/x", Path("nowhere/name")],
)  # fmt: skip
def test_a_missing_folder_is_told_without_asking(folder, hub, name):
    with pytest.raises(ModelFolderError, match="expected a") as caught:
        SFBoW.from_pretrained(name)
    assert "\n" not in str(caught.value)
    assert hub.asked == []


def test_a_name_of_the_hub_is_downloaded(folder, hub):
    hub.answer = str(folder)
    loaded = SFBoW.from_pretrained("some-one/a.model_1", revision="v2", local_files_only=True)
    assert loaded.encode("the cat").any()
    ((name, options),) = hub.asked
    assert name == "some-one/a.model_1"
    assert options["revision"] == "v2"
    assert options["local_files_only"] is True
    assert not any("pickle" in pattern or "bin" in pattern for pattern in options["allow_patterns"])


@pytest.mark.parametrize("error", [OSError("no\nnetwork"), ValueError("bad name"), OSError()])
def test_what_the_hub_says_is_told_in_one_line(hub, error):
    hub.answer = error
    with pytest.raises(InputError, match=r"^some/model: expected a folder or a model") as caught:
        SFBoW.from_pretrained("some/model")
    assert "\n" not in str(caught.value)
    assert (str(error).split("\n")[0] or "OSError") in str(caught.value)


def test_errors_of_the_real_hub_are_told():
    pytest.importorskip("huggingface_hub")
    with pytest.raises(InputError, match=r"^sfbow-tests/not-there: expected a folder or a model"):
        SFBoW.from_pretrained("sfbow-tests/not-there", local_files_only=True)


def test_without_the_hub(folder, no_hub):
    assert SFBoW.from_pretrained("owner/name").encode("the cat").any()
    with pytest.raises(MissingExtraError) as caught:
        SFBoW.from_pretrained("some/model")
    assert str(caught.value) == (
        "a model from the hub (some/model): packages are missing; pip install 'sfbow[hub]'"
    )


def test_the_embedded_model_is_inside_the_package(hub):
    import sfbow

    assert find_model(None) == EMBEDDED
    assert Path(sfbow.__file__).parent in EMBEDDED.parents
    assert hub.asked == []
