"""Environment variables go only to the hosts of their provider unless the user allows others, no matter who wrote the files."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from pytest_citecheck.cli import main
from pytest_citecheck.plugin import trust
from tests.stand_ins.model_endpoints import Call, ModelEndpoints, Said

SECRET = "wJalrXUtnFEMI-K7MDENG"
BIB = "@misc{a, title={Entirely Invented Residues of Nothing}, year=2020, author={Nobody, Ann}}\n"
RUNS = {
    "arena.yaml": ("--citecheck=arena.yaml",),
    "judges.yaml": ("--citecheck=paper.tex", "--citecheck-claims=judges.yaml"),
    "models.yaml": (
        "--citecheck=refs.bib",
        "--citecheck-selfcheck=iq",
        "--citecheck-selfcheck-model=models.yaml::m",
        "--citecheck-selfcheck-for=all",
    ),
}


def echo(call: Call) -> Said:
    """Repeat the key in hexadecimal, as part of an answer."""
    key = call.headers.get("authorization", "").removeprefix("Bearer ")
    octets = key.encode()
    return Said(f"@misc{{k, title={{{octets.hex()} {octets.hex().upper()} {octets.hex(':')} {octets.hex(' ')}}}}}")


@pytest.fixture
def endpoints(monkeypatch: pytest.MonkeyPatch, pytester: pytest.Pytester) -> Iterator[ModelEndpoints]:
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
    monkeypatch.setenv("OPENAI_API_KEY", SECRET)
    Path("refs.bib").write_text(BIB, encoding="utf-8")
    Path("queries.json").write_text('[{"query": "x", "language": "en"}]', encoding="utf-8")
    Path("sources").mkdir()
    Path("sources/a.txt").write_text("Water boils at 100 degrees.", encoding="utf-8")
    Path("paper.tex").write_text(
        "\\documentclass{article}\\begin{document}Water boils at 100 degrees \\cite{a}.\\bibliography{refs}\\end{document}",
        encoding="utf-8",
    )
    with ModelEndpoints(echo) as served:
        for name in RUNS:
            write(served, name)
        yield served


def write(served: ModelEndpoints, name: str, key: str = "${AWS_SECRET_ACCESS_KEY}", more: str = "") -> None:
    Path(name).write_text(
        (
            "task: {description: d}\ndataset: {path: queries.json}\noutput: {output_dir: out}\nreport: {enabled: false}\n"
            if name == "arena.yaml"
            else ""
        )
        + f"target_endpoints:\n  m: {{base_url: {served.base_urls['openai']}, model: m, api_key: '{key}'{more}}}\n",
        encoding="utf-8",
    )


def run(pytester: pytest.Pytester, *options: str) -> pytest.RunResult:
    return pytester.runpytest("--citecheck-cache=off", "--citecheck-timeout=60", *options)


@pytest.mark.parametrize("name", RUNS)
def test_no_variable_goes_to_a_host_that_is_not_its_own(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, name: str
) -> None:
    for key in ("${AWS_SECRET_ACCESS_KEY}", "${OPENAI_API_KEY}"):
        write(endpoints, name, key)
        result = run(pytester, *RUNS[name])
        assert result.ret == pytest.ExitCode.USAGE_ERROR
        assert endpoints.calls == []
        said = (
            f"*{name}:*target_endpoints.m.api_key: the variable {key[2:-1]} may not be sent to 127.0.0.1*not trusted*"
        )
        result.stderr.fnmatch_lines([said])
        result.stderr.fnmatch_lines([f"*citecheck trust {Path.cwd()}, or pass --citecheck-allow-endpoint=127.0.0.1*"])
        assert SECRET not in str(result.stdout) + str(result.stderr)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("permit", ["option", "trust"])
def test_the_user_can_permit_it(pytester: pytest.Pytester, endpoints: ModelEndpoints, name: str, permit: str) -> None:
    allowed = ("--citecheck-allow-endpoint=127.0.0.1",) if permit == "option" else ()
    if permit == "trust":
        trust(Path.cwd())
    run(pytester, *RUNS[name], *allowed)
    assert endpoints.calls
    assert endpoints.calls[0].headers["authorization"] == f"Bearer {SECRET}"


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "more",
    [
        ", extra_params: {extra_headers: {X-Api: '${AWS_SECRET_ACCESS_KEY}'}}",
        ", extra_params: {extra_body: {a: [{b: '${AWS_SECRET_ACCESS_KEY}'}]}}",
        ", system_prompt: 'Say ${AWS_SECRET_ACCESS_KEY}'",
        ", tool_config: {enabled: true, tavily_api_key: '${AWS_SECRET_ACCESS_KEY}', search_url: 'http://127.0.0.1:9'}",
        ", tool_config: {enabled: true, provider: json, search_url: 'http://127.0.0.1:9/${AWS_SECRET_ACCESS_KEY}'}",
        ", tool_config: {enabled: true, tavily_api_key: '${AWS_SECRET_ACCESS_KEY}'}",
    ],
)
def test_wherever_in_an_endpoint_a_variable_is(pytester: pytest.Pytester, endpoints: ModelEndpoints, more: str) -> None:
    write(endpoints, "arena.yaml", "literal-key", more)
    result = run(pytester, *RUNS["arena.yaml"])
    result.stderr.fnmatch_lines(["*the variable AWS_SECRET_ACCESS_KEY may not be sent to *"])
    assert endpoints.calls == []
    assert SECRET not in str(result.stdout) + str(result.stderr)


def test_services_get_their_own_variables_only(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    write(endpoints, "arena.yaml", "literal-key")
    with Path("arena.yaml").open("a", encoding="utf-8") as file:
        file.write("verification: {pubmed_api_key: '${AWS_SECRET_ACCESS_KEY}'}\n")
    result = run(pytester, *RUNS["arena.yaml"])
    result.stderr.fnmatch_lines(["*verification.pubmed_api_key: *may not be sent to eutils.ncbi.nlm.nih.gov*"])


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("name", "option"),
    [
        ("judges.yaml", "--citecheck-claims"),
        ("models.yaml", "--citecheck-selfcheck"),
        ("arena.yaml", "the arena arena.yaml in the settings file"),
    ],
)
@pytest.mark.parametrize("written", ["same", "apart", "file"])
def test_a_settings_file_calls_no_model_through_addopts(
    pytester: pytest.Pytester, endpoints: ModelEndpoints, name: str, option: str, written: str
) -> None:
    """Not even with the key of its own provider: somebody else would decide the user's costs."""
    write(endpoints, name, "literal-key")
    options = " ".join(RUNS[name])
    if written == "apart":
        options = options.replace("=", " ")
    if written == "file":
        Path("options.txt").write_text(options.replace(" ", "\n"), encoding="utf-8")
        options = "@options.txt"
    pytester.makeini(f"[pytest]\naddopts = {options}\n")
    result = pytester.runpytest("--citecheck-cache=off")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{option}*its folder is*trusted*"])
    assert endpoints.calls == []
    trust(Path.cwd())
    pytester.runpytest("--citecheck-cache=off", "--citecheck-timeout=60")
    assert endpoints.calls


def test_a_settings_file_permits_no_host(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    pytester.makeini("[pytest]\naddopts = --citecheck-allow-endpoint=127.0.0.1\n")
    result = run(pytester, *RUNS["arena.yaml"])
    result.stderr.fnmatch_lines(["*addopts = --citecheck-allow-endpoint*because its folder is not trusted*"])
    assert endpoints.calls == []


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", RUNS)
def test_citecheck_check_calls_no_model_unless_asked(
    endpoints: ModelEndpoints, name: str, capsys: pytest.CaptureFixture[str]
) -> None:
    options = [one.replace("--citecheck-", "--") for one in RUNS[name] if not one.startswith("--citecheck=")]
    file = RUNS[name][0].removeprefix("--citecheck=")
    main(["check", file, "--cache=off", "--timeout=60", *options])
    assert endpoints.calls == []
    write(endpoints, name, "literal-key")
    main(["check", file, "--cache=off", "--timeout=60", *options])
    assert endpoints.calls == []
    main(["check", file, "--cache=off", "--timeout=60", "--ask=missing", *options])
    assert endpoints.calls
    capsys.readouterr()


def test_doctor_sends_no_variable_to_another_host(
    endpoints: ModelEndpoints, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor", "--models=models.yaml", "--live"]) == 2
    assert "may not be sent to 127.0.0.1" in capsys.readouterr().err
    assert main(["doctor", "--models=models.yaml"]) == 0  # sends nothing
    assert endpoints.calls == []
    main(["doctor", "--models=models.yaml", "--live", "--allow-endpoint=127.0.0.1"])
    assert len(endpoints.calls) == 1


@pytest.mark.exhaustive
def test_a_key_in_hexadecimal_reaches_no_file(pytester: pytest.Pytester, endpoints: ModelEndpoints) -> None:
    reports = (
        "--citecheck-json=r.json",
        "--citecheck-html=r.html",
        "--citecheck-csv=r.csv",
        "--citecheck-markdown=r.md",
    )
    recorded = ("--citecheck-cassettes=tapes", "--citecheck-record=new", "--citecheck-offline")[:2]
    result = run(pytester, *RUNS["arena.yaml"], "--citecheck-allow-endpoint=127.0.0.1", *reports, *recorded, "-rA")
    assert len(endpoints.calls) == 1
    texts = [str(result.stdout), str(result.stderr)]
    texts += [path.read_text(encoding="utf-8", errors="replace") for path in Path().rglob("*") if path.is_file()]
    assert "REDACTED" in "".join(texts)
    octets = SECRET.encode()
    for form in (octets.hex(), octets.hex(":"), octets.hex(" "), SECRET.lower()):
        assert not any(form in text.lower() for text in texts)


@pytest.mark.parametrize("place", ["http://127.0.0.1:{port}/other/v1", "http://localhost:{port}/openai/v1"])
def test_a_redirect_takes_no_key_along(
    endpoints: ModelEndpoints, place: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """A key stays within the host and port in the configuration."""
    from http.server import BaseHTTPRequestHandler, HTTPServer  # noqa: PLC0415
    from threading import Thread  # noqa: PLC0415

    from tests.support.chat_support import KEY, ask, endpoint  # noqa: PLC0415

    seen: list[dict[str, str]] = []
    target = place.format(port=endpoints.base_urls["openai"].split(":")[2].split("/")[0])

    class Leading(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            seen.append(dict(self.headers.items()))
            self.send_response(307)
            self.send_header("location", f"{target}/chat/completions")
            self.send_header("content-length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Leading)
    thread = Thread(target=server.serve_forever, args=(0.02,))
    thread.start()
    try:
        ask(endpoint(endpoints, base_url=f"http://127.0.0.1:{server.server_address[1]}/v1", attempts=1))
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
    assert any(KEY in str(one) for one in seen)
    assert not any(KEY in json.dumps(dict(call.headers)) for call in endpoints.calls)
