"""The command line as a whole: help, exit codes, signals, pipes, completion."""

import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import numpy as np
import pytest
from click.testing import CliRunner
from test_cli_encode import make_model

import sfbow
from sfbow.cli import COMMANDS, cli

ROOT = Path(__file__).parents[1]
SFBOW = [sys.executable, "-m", "sfbow"]


@pytest.fixture(autouse=True)
def terminal(monkeypatch):
    """Help is as wide as the terminal, and not every terminal is the same."""
    monkeypatch.setenv("COLUMNS", "80")


@pytest.fixture
def model(tmp_path) -> str:
    return make_model(tmp_path / "model")


def environment(**more):
    paths = [str(ROOT / "src"), os.environ.get("PYTHONPATH", "")]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths)), **more}


def start(*arguments, **options) -> subprocess.Popen:
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen([*SFBOW, *arguments], env=environment(), **{**pipes, **options})


def run(*arguments, data=b"", **more) -> subprocess.CompletedProcess:
    return subprocess.run(
        [*SFBOW, *arguments], input=data, capture_output=True, env=environment(**more), check=False
    )


def test_help_lists_every_command_without_loading_it():
    script = (
        "import sys; from sfbow.cli import cli; cli(['--help'], standalone_mode=False);"
        "loaded = {name for name in sys.modules if name.startswith('sfbow.cli.')};"
        "assert loaded == {'sfbow.cli.group'}, loaded"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, env=environment(), check=False
    )
    assert done.returncode == 0, done.stderr
    for name, summary in COMMANDS.items():
        assert f"  {name} ".encode() in done.stdout
        assert summary.encode() in done.stdout


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_teaches(name):
    command = cli.get_command(click.Context(cli), name)
    assert command.name == name
    assert command.help.splitlines()[0] == COMMANDS[name]
    done = CliRunner().invoke(cli, [name, "--help"])
    assert done.exit_code == 0
    assert f"Examples:\n    sfbow {name} " in done.stdout
    assert [line for line in done.stdout.splitlines() if len(line) > 80] == []


def test_python_m_is_the_same_command():
    done = run("--version")
    assert (done.returncode, done.stdout, done.stderr) == (
        0,
        f"sfbow {sfbow.__version__}\n".encode(),
        b"",
    )


@pytest.mark.parametrize(
    "arguments",
    [["nonsense"], ["--nonsense"], ["similar"], ["encode", "--threads", "0"], ["build", "x"]],
)
def test_wrong_usage_is_status_2(arguments):
    done = CliRunner().invoke(cli, arguments, prog_name="sfbow")
    assert done.exit_code == 2
    assert re.fullmatch(r"sfbow: [a-z].+; see 'sfbow[a-z ]* --help'\n", done.stderr)
    assert done.stdout == ""


def test_without_a_command_there_is_help():
    done = CliRunner().invoke(cli, [])
    assert done.exit_code == 2
    assert "Examples:" in done.stderr


def test_a_fault_is_one_line_and_status_1(tmp_path):
    done = run("similar", "a", "b", "--model", str(tmp_path / "none"))
    assert done.returncode == 1
    assert done.stdout == b""
    assert done.stderr.startswith(b"sfbow: ")
    assert done.stderr.count(b"\n") == 1


def test_an_error_of_the_system_is_one_line(tmp_path, model):
    done = CliRunner().invoke(cli, ["encode", str(tmp_path / "no\nfile"), "--model", model])
    assert done.exit_code == 1
    assert done.stderr == f"sfbow: {tmp_path}/no file: no such file or directory\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no device that is full")
@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["similar", "--help"]])
def test_a_full_disk_is_one_line(arguments):
    with Path("/dev/full").open("wb") as full:
        process = start(*arguments, stdout=full)
    _, errors = process.communicate()
    assert (process.returncode, errors) == (1, b"sfbow: no space left on device\n")


@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_closed_streams_are_no_files(tmp_path, model, closed):
    (tmp_path / "texts.txt").write_bytes(b"the guitar\n")
    line = f'"{sys.executable}" -m sfbow encode texts.txt -o x.npy --model "{model}" {closed}'
    done = subprocess.run(["sh", "-c", line], cwd=tmp_path, env=environment(), check=False)
    assert done.returncode == 0
    assert np.load(tmp_path / "x.npy").shape[0] == 1


def test_closed_input_is_empty_and_closed_output_is_dropped(model):
    line = f'"{sys.executable}" -m sfbow encode --model "{model}" <&- >&-'
    done = subprocess.run(["sh", "-c", line], capture_output=True, env=environment(), check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")


def test_lack_of_memory_is_one_line(monkeypatch, model):
    def fail(*_, **__):
        raise MemoryError

    monkeypatch.setattr(sfbow.SFBoW, "encode", fail)
    done = CliRunner().invoke(cli, ["similar", "a", "b", "--model", model])
    assert (done.exit_code, done.stderr) == (1, "sfbow: out of memory\n")


def test_a_mistake_of_ours_is_not_hidden(monkeypatch, model):
    def stumble(*_, **__):
        raise AssertionError

    monkeypatch.setattr(sfbow.SFBoW, "encode", stumble)
    done = CliRunner().invoke(cli, ["similar", "a", "b", "--model", model])
    assert isinstance(done.exception, AssertionError)


def test_a_broken_pipe_is_silent(tmp_path, model):
    texts = tmp_path / "texts.txt"
    texts.write_bytes(b"the guitar\n" * 100_000)
    process = start("encode", str(texts), "--model", model)
    process.stdout.close()
    process.stdout = None
    _, errors = process.communicate()
    assert (process.returncode, errors) == (141, b"")


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_leaves_nothing_behind(tmp_path, model, number, status):
    folder = tmp_path / "out"
    folder.mkdir()
    process = start("encode", "--model", model, "-o", str(folder / "x.npy"))
    process.stdin.write(b"the guitar\n")
    process.stdin.flush()
    deadline = time.monotonic() + 60
    while not list(folder.iterdir()):
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate()
    assert process.returncode == status
    assert errors == (b"sfbow: interrupted\n" if number == signal.SIGINT else b"")
    assert list(folder.iterdir()) == []


def test_nothing_is_coloured_nor_drawn_when_nobody_watches(model):
    done = run("encode", "--model", model, data=b"the guitar\n", FORCE_COLOR="1")
    assert done.stderr == b""
    assert b"\x1b" not in done.stdout


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(shell):
    done = CliRunner().invoke(cli, ["completion", shell], prog_name="sfbow")
    assert done.exit_code == 0
    assert "_SFBOW_COMPLETE" in done.stdout


def test_completion_itself():
    words = {"COMP_WORDS": "sfbow en", "COMP_CWORD": "1"}
    done = run(_SFBOW_COMPLETE="bash_complete", **words)
    assert done.stdout == b"plain,encode\n"
    options = {"COMP_WORDS": "sfbow similar --mea", "COMP_CWORD": "2"}
    assert run(_SFBOW_COMPLETE="bash_complete", **options).stdout == b"plain,--measure\n"


@pytest.mark.parametrize(
    "line",
    ["info x", "encode x", "encode --model x", "similar --pairs x", "build --words x",
     "build v --counts x", "evaluate --model x"],
)  # fmt: skip
def test_completion_of_files(line):
    words = {"COMP_WORDS": f"sfbow {line}", "COMP_CWORD": str(len(line.split()))}
    assert run(_SFBOW_COMPLETE="bash_complete", **words).stdout == b"file,x\n"
