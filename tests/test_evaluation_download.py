"""`sfbow download` from a server on this machine that does what servers do at their worst."""

import io
import re
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from click.testing import CliRunner

from sfbow import InputError
from sfbow.cli import cli
from sfbow.evaluation import download as download_module
from sfbow.evaluation.catalogue import Source, checksum, sts_sources
from sfbow.evaluation.download import download_sts, is_whole
from sfbow.evaluation.sts import EDITIONS

TEXTS = "".join(f"The {n}. dog, it's here!\tA cat ({n * n})\tsource\r\n" for n in range(400))
SCORES = "".join(f"{n % 6}\r\n" for n in range(400))
FILES = {"STS.input.FNWN.txt": TEXTS.encode(), "STS.gs.FNWN.txt": SCORES.encode()}


def packed(files=FILES, folder="test-gs/") -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as archive:
        archive.writestr(folder + "00-readme.txt", "no data")
        for name, data in files.items():
            archive.writestr(folder + name, data)
    return out.getvalue()


class Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Handler)
        self.content = packed()
        self.ranges = True  # whether it knows them
        self.wrong_ranges = 0  # so many answers begin at another byte than asked for
        self.breaks = []  # after how many bytes the next answers break off
        self.says_length = True
        self.asked = []  # the ranges

    @property
    def url(self):
        return f"http://127.0.0.1:{self.server_port}/STS.zip"


class Handler(BaseHTTPRequestHandler):
    def do_GET(self):
        server = self.server
        wanted = self.headers.get("Range")
        server.asked.append(wanted)
        if self.path != "/STS.zip":
            self.send_error(404)
            return
        start = int(re.fullmatch(r"bytes=(\d+)-", wanted)[1]) if wanted and server.ranges else 0
        if start >= len(server.content):
            self.send_error(416)
            return
        if start and server.wrong_ranges:
            server.wrong_ranges -= 1
            start -= 1
        body = server.content[start:]
        self.send_response(206 if wanted and server.ranges else 200)
        if wanted and server.ranges:
            whole = len(server.content)
            self.send_header("Content-Range", f"bytes {start}-{whole - 1}/{whole}")
        if server.says_length:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        stop = server.breaks.pop(0) if server.breaks else len(body)
        self.wfile.write(body[:stop])

    def log_message(self, *arguments):
        pass


@pytest.fixture
def server():
    with Server() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def source(server):
    files = {name: checksum(name, data) for name, data in FILES.items()}
    return Source("STS13", "STS13-en-test", (server.url,), files)


def installed(root) -> dict:
    return {path.name: path.read_bytes() for path in (root / "STS13-en-test").iterdir()}


def fault_of(root, source) -> str:
    with pytest.raises(InputError) as caught:
        download_sts(root, sources=[source])
    message = str(caught.value)
    assert "\n" not in message
    return message


def test_each_file_as_it_is_in_the_archive(tmp_path, server, source):
    root = tmp_path / "new" / "sts"
    assert download_sts(root, sources=[source]) == root
    assert installed(root) == FILES
    assert [path.name for path in root.iterdir()] == ["STS13-en-test"]
    download_sts(root, sources=[source])
    assert server.asked == [None], "what is whole is not fetched again"


def test_files_of_2016_get_the_usual_names(tmp_path, server, source):
    files = {name.replace("STS.", "STS2016."): data for name, data in FILES.items()}
    server.content = packed(files, "a/b/")
    download_sts(tmp_path, sources=[source])
    assert installed(tmp_path) == FILES


def test_a_damaged_file_is_fetched_again_and_others_stay(tmp_path, source):
    download_sts(tmp_path, sources=[source])
    folder = tmp_path / "STS13-en-test"
    (folder / "STS.gs.FNWN.txt").write_text("1\n")
    (folder / "notes").write_text("mine")
    assert not is_whole(tmp_path, source)
    download_sts(tmp_path, sources=[source])
    assert installed(tmp_path) == {**FILES, "notes": b"mine"}


@pytest.mark.parametrize("says_length", [True, False])
def test_a_broken_transfer_goes_on(tmp_path, server, source, says_length):
    server.breaks = [1000, 500] if says_length else []
    server.says_length = says_length
    seen = []
    download_sts(
        tmp_path,
        sources=[source],
        watch=lambda name: lambda done, total: seen.append((done, total)),
    )
    assert installed(tmp_path) == FILES
    assert server.asked == ([None, "bytes=1000-", "bytes=1500-"] if says_length else [None])
    whole = len(server.content)
    assert seen[-1] == (whole, whole if says_length else None)


def test_the_next_call_goes_on(tmp_path, server, source):
    server.breaks = [1000, 0, 0]
    message = fault_of(tmp_path, source)
    assert f"{server.url}: expected a file, found 1,000 of its {len(server.content):,}" in message
    assert "run the command again" in message
    assert not (tmp_path / "STS13-en-test").exists()
    server.asked.clear()
    download_sts(tmp_path, sources=[source])
    assert server.asked == ["bytes=1000-"]
    assert installed(tmp_path) == FILES


def test_a_server_without_ranges_begins_anew(tmp_path, server, source):
    server.ranges = False
    server.breaks = [1000]
    download_sts(tmp_path, sources=[source])
    assert server.asked == [None, "bytes=1000-"]
    assert installed(tmp_path) == FILES


def test_a_server_that_gives_another_range(tmp_path, server, source):
    server.breaks = [1000]
    server.wrong_ranges = 1
    download_sts(tmp_path, sources=[source])
    assert server.asked == [None, "bytes=1000-", None]
    assert installed(tmp_path) == FILES


def test_a_part_that_is_as_long_as_the_file(tmp_path, server, source):
    part = tmp_path / ".STS13-en-test.zip.part"
    part.write_bytes(bytes(len(server.content)))
    download_sts(tmp_path, sources=[source])
    assert installed(tmp_path) == FILES
    assert not part.exists()


@pytest.mark.parametrize("name", FILES)
def test_a_wrong_checksum(tmp_path, server, source, name):
    server.content = packed({**FILES, name: FILES[name].replace(b"3", b"4", 1)})
    message = fault_of(tmp_path, source)
    assert f"expected {name} with the SHA-256 {source.files[name][:12]}" in message
    assert list(tmp_path.iterdir()) == [], "nothing wrong is kept"


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"<html>moved</html>", "expected a zip archive, found none"),
        (packed()[:-30], "expected a zip archive, found none"),
        (packed({"STS.gs.FNWN.txt": b""}), "expected STS.input.FNWN.txt, found no such file"),
        (packed().replace(b"dog, it", b"dog, IT"), "expected a zip archive, found none (Bad CRC"),
    ],
)
def test_what_is_no_archive_of_ours(tmp_path, server, source, content, expected):
    server.content = content
    assert expected in fault_of(tmp_path, source)
    assert list(tmp_path.iterdir()) == []


def test_what_is_too_long(tmp_path, source, monkeypatch):
    monkeypatch.setattr("sfbow.evaluation.transfer._LARGEST", 2000)
    assert "expected at most 2,000 bytes" in fault_of(tmp_path, source)


def test_no_network(tmp_path, server, source):
    closed = Server()
    closed.server_close()
    message = fault_of(tmp_path, Source("STS13", "x", (closed.url,), source.files))
    assert message.startswith(f"{closed.url}: expected a file, found no connection (")
    both = Source("STS13", "STS13-en-test", (closed.url, server.url), source.files)
    download_sts(tmp_path, sources=[both])
    assert installed(tmp_path) == FILES


def test_no_such_file_on_the_server(tmp_path, server, source):
    lost = Source("STS13", "x", (server.url + "x",), source.files)
    assert "found the status 404 Not Found" in fault_of(tmp_path, lost)


def test_only_http(tmp_path, source):
    local = Source("STS13", "x", ((tmp_path / "STS.zip").as_uri(),), source.files)
    assert "expected an address http:// or https://" in fault_of(tmp_path, local)


def test_the_command(tmp_path, source, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(download_module, "sts_sources", lambda: [source])
    done = CliRunner().invoke(cli, ["download", "sts"])
    assert (done.exit_code, done.stderr) == (0, "")
    assert done.stdout == f"{tmp_path / 'sfbow' / 'sts'}\n"
    again = CliRunner().invoke(cli, ["download", "sts", "--to", str(tmp_path / "other")])
    assert again.exit_code == 0
    assert installed(tmp_path / "other") == FILES


def test_the_command_without_a_network(tmp_path, monkeypatch, source):
    lost = Source("STS13", "x", ("http://127.0.0.1:9/x",), source.files)
    monkeypatch.setattr(download_module, "sts_sources", lambda: [lost])
    done = CliRunner().invoke(cli, ["download", "sts", "--to", str(tmp_path)])
    assert done.exit_code == 1
    assert len(done.stderr.splitlines()) == 1


def test_the_catalogue():
    sources = sts_sources()
    assert tuple(source.name for source in sources) == EDITIONS
    assert sum(len(source.files) for source in sources) == 48
    for source in sources:
        assert source.folder == f"{source.name}-en-test"
        for url in source.urls:
            assert re.fullmatch(r"http://ixa2\.si\.ehu\.(eus|es)/stswiki/images/\S+\.zip", url)
            assert f"20{source.name[3:]}-en-test.zip" in url
        assert all(re.fullmatch("[0-9a-f]{64}", digest) for digest in source.files.values())


def test_the_catalogue_knows_the_data(shared_folder):
    root = shared_folder("sts")
    assert all(is_whole(root, source) for source in sts_sources())


def test_checksums_see_what_matters():
    name = "STS.input.x.txt"
    base = checksum(name, b"It's a dog.\tA cat!\n")
    assert base == checksum(name, b"\xef\xbb\xbfit ' s a dog .\ta cat !\tsource\r\n")
    for other in ("It's a dog\tA cat\nx\ty\n", "Its a\tdog A cat\n", "It's a dot.\tA cat!\n", ""):
        assert checksum(name, other.encode()) != base
    scores = checksum("STS.gs.x.txt", b"1.5\n\n3\n")
    assert scores == checksum("STS.gs.x.txt", b"1.5\r\n\r\n3\r\n")
    assert scores != checksum("STS.gs.x.txt", b"1.5\n3\n")
