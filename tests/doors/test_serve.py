"""``citecheck serve`` over HTTP: checks of uploaded files, who may connect, and what is left afterwards."""

from __future__ import annotations

import csv
import io
import json
import signal
import socket
import subprocess
import time
import zipfile
from collections.abc import Iterator, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest

from tests.doors.conftest import CODE, command, environment
from tests.doors.serving import PATIENCE, UNSEEN_SOON, Server, page_server

pytest.importorskip("starlette")
pytest.importorskip("uvicorn")

WRONG = b"@article{lamport,\n title = {Time, Clocks, and the Ordering of Events in a Distributed System},\n \
author = {Leslie Lamport},\n journal = {Communications of the ACM},\n year = {1978},\n doi = {10.1145/359545.999563}\n}\n"
INVENTED = b"@article{x,\n title = {Quantum Zonal Gradients of Imaginary Cats},\n year = {2021}\n}\n"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with page_server(tmp_path_factory.mktemp("serve") / "tmp") as started:
        yield started


def archive(files: Mapping[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, content in files.items():
            opened.writestr(name, content)
    return made.getvalue()


def until(holds: object, seconds: float = PATIENCE) -> None:
    end = time.monotonic() + seconds
    while not holds():  # type: ignore[operator]
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.exhaustive
def test_an_upload_gets_progress_report_table_and_corrected_file(server: Server) -> None:
    answer = server.begin(("refs.bib", WRONG), policy="strict")
    run = answer.json()["run"]
    told = server.followed(run)
    assert (answer.status_code, told[0]["state"], told[-1]["state"]) == (201, "running", "done")
    assert told[-1]["fixable"] == ["refs.bib"]
    assert {"Crossref", "doi.org"} <= {name for name, _ in told[-1]["services"]}
    assert sum(count for _, count in told[-1]["services"]) == told[-1]["done"]
    address = f"{server.address}runs/{run}/"
    page = httpx.get(f"{address}report.html")
    assert "Citation check: refs.bib" in page.text
    assert page.headers["content-security-policy"].startswith("sandbox allow-scripts")
    assert "allow-same-origin" not in page.headers["content-security-policy"]
    assert page.headers["content-disposition"].startswith("inline")
    assert httpx.get(f"{address}report.html?save").headers["content-disposition"].startswith("attachment")
    assert httpx.get(f"{address}report.json").json()["policy"] == "strict"
    rows = list(csv.DictReader(io.StringIO(httpx.get(f"{address}report.csv").content.decode("utf-8-sig"))))
    assert [(row["key"], row["place"]) for row in rows] == [("lamport", "refs.bib:1")]
    for _ in range(2):
        corrected = httpx.get(f"{address}corrected/refs.bib", timeout=PATIENCE)
        assert corrected.content == WRONG.replace(b"999563", b"359563")


@pytest.mark.exhaustive
def test_a_file_that_stays_as_it_is_is_no_corrected_file(server: Server) -> None:
    address, _ = server.checked(("refs.bib", WRONG.replace(b"999563", b"359563")))
    answer = httpx.get(f"{address}corrected/refs.bib", timeout=PATIENCE)
    assert (answer.is_error, answer.json()["message"][:40]) == (True, "each entry is right or needs your decisi")


@pytest.mark.exhaustive
def test_pasted_texts(server: Server) -> None:
    address, state = server.checked(text=INVENTED.decode())
    assert (state["state"], state["fixable"]) == ("done", ["input.bib"])
    assert "input.bib" in httpx.get(f"{address}report.html").text
    address, state = server.checked(text="10.1145/359545.359563")
    (found,) = httpx.get(f"{address}report.json").json()["references"]
    assert (state["fixable"], found["path"]) == ([], "input.txt")
    _, state = server.checked(text="2401.01234", paper="on")
    assert (state["state"], "2401.01234 is not fetched" in state["message"]) == ("failed", True)
    assert str(server.folder) not in state["message"]
    assert server.begin(text=" \n").status_code == 422


@pytest.mark.exhaustive
def test_a_manuscript_and_its_bibliography_count_once(server: Server) -> None:
    manuscript = rb"\documentclass{article}\begin{document}\cite{lamport}\bibliography{my refs}\end{document}"
    address, state = server.checked(("paper.tex", manuscript), ("my refs.bib", WRONG + INVENTED))
    assert state["state"] == "done"
    assert [one["key"] for one in httpx.get(f"{address}report.json").json()["references"]] == ["lamport"]
    settings = {"pytest.ini": b"[pytest]\ncitecheck_policy = nosuch\n", "conftest.py": b"1/0"}
    _, state = server.checked(("paper.zip", archive({"main.tex": manuscript, "my refs.bib": WRONG, **settings})))
    assert state["state"] == "done", state["message"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("pytest.ini", "no reader"), ("pyproject.toml", "no reader"), ("arena.yaml", "no reader"),
        ("refs", "no reader"), ("a.exe", "no reader"), ("old.doc", "save it as .docx or .pdf"),
    ],
)  # fmt: skip
def test_other_files_are_refused(server: Server, name: str, said: str) -> None:
    answer = server.begin((name, b"[pytest]\ncitecheck_offline = true\n"))
    assert (answer.status_code, said in answer.json()["message"]) == (422, True), answer.text


@pytest.mark.exhaustive
def test_a_file_that_cannot_be_checked_is_named_beside_the_report_of_the_others(server: Server) -> None:
    address, state = server.checked(("picture.png", b"\x89PNG"), ("refs.bib", WRONG))
    assert (state["state"], state["message"]) == ("done", "picture.png cannot be checked: no reader for .png files")
    assert [one["key"] for one in httpx.get(f"{address}report.json").json()["references"]] == ["lamport"]


@pytest.mark.exhaustive
def test_no_name_leads_out_or_selects(server: Server, tmp_path: Path) -> None:
    before = server.files
    names = [
        "../../../etc/x.bib", "..\\..\\y.bib", "/root/z.bib", "C:\\w.bib", "-o.bib", "--html=q.bib", "a,b.bib", "k::v.bib",
        "*.bib", "[a].bib", "é中.bib", "x.bib", "X.BIB", f"{'中' * 200}.bib", f"{'n' * 300}.bib",
        "\x1b]0;t\x07.bib", "a\nb.bib", "CON .bib",
    ]  # fmt: skip
    uploads = [(name, INVENTED.replace(b"{x", f"{{x{place}".encode())) for place, name in enumerate(names)]
    address, state = server.checked(*uploads)
    assert state["state"] == "done", state["message"]
    references = httpx.get(f"{address}report.json").json()["references"]
    assert [one["key"] for one in references] == [f"x{place}" for place in range(len(names))]
    kept = {name for name in server.files - before if name.startswith("files/")}
    assert len(kept) == len(names)
    assert {one["path"] for one in references} == {name.removeprefix("files/") for name in kept}
    assert all(not set(name) & set("*[],:=\\\n\x1b") and len(name) < 130 for name in kept)
    assert "é中.bib" in state["fixable"]
    for wrong in ("..%2f..%2freport.json", "%2e%2e%2freport.json", "..", "draft.bib", "other.bib"):
        assert httpx.get(f"{address}corrected/{wrong}").status_code == 404
    assert httpx.get(f"{address}files/x.bib").status_code == 404


@pytest.mark.exhaustive
def test_damaged_and_oversized_archives(server: Server) -> None:
    bomb = archive({"main.tex": bytes(150_000_000)})
    for content, said in (
        (bomb, "more than 100 MB"),
        (archive({"../main.tex": b"x"}), "points outside the archive"),
        (b"PK not a zip", "damaged"),
    ):
        _, state = server.checked(("paper.zip", content))
        assert (state["state"], said in state["message"]) == ("failed", True), state
        assert str(server.folder) not in state["message"]


@pytest.mark.exhaustive
def test_large_uploads_are_refused_before_they_are_read(server: Server) -> None:
    parts = urlsplit(server.address)
    head = (
        f"POST {parts.path}runs HTTP/1.1\r\nHost: {parts.netloc}\r\nContent-Type: multipart/form-data; boundary=x\r\n"
    )
    with socket.create_connection((parts.hostname, parts.port or 0), 10) as connection:
        connection.sendall(f"{head}Content-Length: 200000001\r\n\r\n".encode())
        assert connection.recv(100).startswith(b"HTTP/1.1 413")
    assert httpx.post(f"{server.address}runs", content=iter([b"x"])).status_code == 413
    assert server.begin(text="x" * 2_000_001).status_code == 400
    assert server.begin(*[(f"{number}.bib", b"") for number in range(201)]).status_code == 400
    assert (
        httpx.post(f"{server.address}runs", content=b"x", headers={"Content-Type": "multipart/form-data"}).status_code
        == 400
    )


@pytest.mark.exhaustive
def test_only_the_own_page_with_the_token_may_connect(server: Server) -> None:
    origin, token = server.address.rstrip("/").rsplit("/", 1)
    for path in ("", "page.js", "runs/x/events", "runs/x/report.html"):
        for wrong in (token[:-1], f"{token}x", "", token.swapcase(), "%00", "é"):
            assert httpx.get(f"{origin}/{wrong}/{path}").status_code == 403
    assert httpx.get(origin).status_code == 403
    attacks = ({"Host": "evil.example"}, {"Host": "127.0.0.1"}, {"Origin": "https://evil.example"}, {"Origin": "null"})
    for wrong_headers in attacks:
        for method, path in (("GET", ""), ("POST", "runs"), ("POST", "runs/x/close"), ("GET", "runs/x/report.json")):
            answer = httpx.request(method, f"{server.address}{path}", headers=wrong_headers)
            assert answer.status_code in (403, 421)
    assert httpx.get(server.address, headers={"Origin": origin}).status_code == 200
    assert httpx.get(f"{server.address}runs").status_code == 405


@pytest.mark.exhaustive
def test_headers_of_every_answer(server: Server) -> None:
    for path, status in (("", 200), ("page.css", 200), ("page.js", 200), ("none", 404), ("runs/x/report.csv", 404)):
        answer = httpx.get(f"{server.address}{path}")
        assert answer.status_code == status
        assert answer.headers["cache-control"] == "no-store"
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "unsafe" not in policy
        assert "server" not in answer.headers


@pytest.mark.exhaustive
def test_a_client_names_no_path(server: Server, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text("extends = 'strict'", "utf-8")
    assert server.begin(("r.bib", INVENTED), policy=str(tmp_path / "own.toml")).status_code == 400
    fields = {"index": "/etc/passwd", "contact": "a@example.org", "cassettes": "/", "config": "/etc/x", "html": "/x"}
    _, state = server.checked(("r.bib", INVENTED), **fields)
    assert state["state"] == "done", state["message"]
    _, state = server.checked(("r.bib", INVENTED), contact="a@example.org --html=x")
    assert "the contact is an e-mail address" in state["message"]
    _, state = server.checked(text=str(tmp_path / "own.toml"), paper="on")
    assert "extends" not in json.dumps(state)


@pytest.mark.exhaustive
def test_two_checks_do_not_mix(server: Server) -> None:
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(lambda content: server.checked(("refs.bib", content)), (WRONG, INVENTED))
    for (address, state), key in ((first, "lamport"), (second, "x")):
        assert state["state"] == "done"
        assert [one["key"] for one in httpx.get(f"{address}report.json").json()["references"]] == [key]
    assert first[0] != second[0]


@pytest.mark.exhaustive
def test_closing_removes_the_files(server: Server) -> None:
    before = server.files
    address, _ = server.checked(("refs.bib", INVENTED), ("more.bib", WRONG))
    assert server.files > before
    assert httpx.post(f"{address}close").status_code == 204
    assert server.files == before
    assert httpx.get(f"{address}report.html").status_code == 404
    assert httpx.post(f"{address}close").status_code == 204
    begun = server.begin(("refs.bib", WRONG)).json()["run"]  # while it runs
    assert httpx.post(f"{server.address}runs/{begun}/close", timeout=PATIENCE).status_code == 204
    assert server.files == before


@pytest.mark.exhaustive
def test_checks_without_a_page_are_closed(tmp_path: Path) -> None:
    with page_server(tmp_path / "tmp", code=UNSEEN_SOON) as server:
        address, state = server.checked(("refs.bib", INVENTED))
        assert state["state"] == "done"
        until(lambda: not server.files)
        assert httpx.get(f"{address}report.html").status_code == 404


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_the_end_of_the_server_removes_everything(tmp_path: Path, number: signal.Signals) -> None:
    with page_server(tmp_path / "tmp") as server:
        server.checked(("refs.bib", INVENTED))
        run = server.begin(("refs.bib", WRONG)).json()["run"]
        with httpx.stream("GET", f"{server.address}runs/{run}/events", timeout=PATIENCE) as events:
            next(events.iter_lines())
            server.process.send_signal(number)
            _, said = server.process.communicate(timeout=30)
        assert (server.process.returncode, said) == (0 if number == signal.SIGINT else -number, "")
        assert list(server.folder.rglob("*")) == []


@pytest.mark.exhaustive
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="the system has no SIGKILL")
def test_the_next_server_deletes_what_a_killed_one_left(tmp_path: Path) -> None:
    folder = tmp_path / "tmp"
    with page_server(folder) as server:
        server.checked(("refs.bib", INVENTED))
        server.process.kill()
        server.process.wait()
    (left,) = folder.iterdir()
    assert server.files
    others = [folder / name for name in ("citecheck-serve-mine", "citecheck-serve-x-99999", "citecheck-x-9")]
    for one in others:
        one.mkdir()
    with page_server(folder) as running, page_server(folder) as next_one:
        running.checked(("refs.bib", INVENTED))
        assert not left.exists()
        assert len({*folder.iterdir()} - {*others}) == 2
        assert next_one.begin(("refs.bib", INVENTED)).status_code == 201
    assert {*folder.iterdir()} == {*others}


@pytest.mark.exhaustive
def test_missing_libraries_and_bad_ports(tmp_path: Path) -> None:
    without = f"import sys\nsys.modules['uvicorn'] = None\n{CODE}"
    for code, arguments, said in (
        (without, [], "citecheck serve: error: this command needs uvicorn: pip install '.[web]' in a checkout"),
        (CODE, ["--port=99999"], "citecheck serve: error: --port=99999: "),
    ):
        line = command("serve", "--no-browser", *arguments, code=code)
        done = subprocess.run(line, env=environment(), cwd=tmp_path, capture_output=True, text=True, check=False)
        assert (done.returncode, done.stderr.startswith(said), done.stderr.count("\n")) == (2, True, 1), done.stderr
