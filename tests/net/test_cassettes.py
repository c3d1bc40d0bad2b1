"""Cassettes: vcrpy's format, secrets out, nothing lost, batches found by their parts."""

from __future__ import annotations

import errno
import gzip
import json
import multiprocessing
import os
import threading
from typing import TYPE_CHECKING

import httpx
import pytest
import vcr
from hypothesis import given
from hypothesis import strategies as st
from vcr.serialize import deserialize, serialize
from vcr.serializers import jsonserializer, yamlserializer

from pytest_citecheck.atomic_write import locked
from pytest_citecheck.net import Cassette, CassetteError, Interaction, load, save
from pytest_citecheck.sources import Request
from tests.support.transport_support import DATE, FakeSource, reply, serving

if TYPE_CHECKING:
    from pathlib import Path

SOURCE = FakeSource(size=10)


def asked(*values: str) -> Request:
    return Request(SOURCE.name, SOURCE.url(values))


def interaction(*values: str, body: bytes = b"{}", date: str = DATE, status: int = 200) -> Interaction:
    headers = {"date": date, "content-type": "application/json"}
    return Interaction.of(asked(*values), status, headers, body)


def uris(path: Path) -> list[str]:
    return [recorded.request.uri for recorded in load(path)]


def test_file_is_sorted_readable_and_free_of_other_headers(tmp_path: Path) -> None:
    path = tmp_path / "fake.json"
    save(path, [interaction("b", body='{"b": "Über"}'.encode()), interaction("a", status=404)])
    data = json.loads(path.read_text(encoding="utf-8"))
    assert data["version"] == 1
    assert data["interactions"][1] == {
        "request": {
            "method": "GET",
            "uri": "https://api.fake.example.org/works?ids=b",
            "body": None,
            "headers": {"accept": ["application/json"]},
        },
        "response": {
            "status": {"code": 200, "message": "OK"},
            "headers": {"content-type": ["application/json"], "date": [DATE]},
            "body": {"string": '{"b": "Über"}'},
            "sha256": "40d6a4a396ddc2d5d19c5b86fa8ed2e4c1971f95531c66cbe23220f42cc3b4f2",
        },
    }
    assert data["interactions"][0]["response"]["status"] == {"code": 404, "message": "Not Found"}
    assert "Über" in path.read_text(encoding="utf-8")
    assert list(tmp_path.iterdir()) == [path]


def test_saving_again_is_byte_identical(tmp_path: Path) -> None:
    path = tmp_path / "fake.json"
    save(path, [interaction("b"), interaction("a")])
    before = path.read_bytes()
    save(path, reversed(load(path)))
    assert path.read_bytes() == before


@given(st.text(max_size=60), st.sampled_from([200, 206, 404, 410]))
def test_any_text_survives(tmp_path_factory: pytest.TempPathFactory, text: str, status: int) -> None:
    body = text.encode("utf-8", "ignore")
    path = tmp_path_factory.mktemp("cassette") / "fake.json"
    save(path, [interaction("a", body=body, status=status)])
    (loaded,) = load(path)
    assert (loaded.body, loaded.status, loaded.headers["date"]) == (body, status, [DATE])


def test_plain_vcrpy_reads_and_replays_the_file(tmp_path: Path) -> None:
    path = tmp_path / "fake.json"
    save(path, [interaction("a", "b", body='{"a": "Ünï", "b": null}'.encode())])
    requests, responses = deserialize(path.read_text(encoding="utf-8"), jsonserializer)
    assert requests[0].uri == SOURCE.url(["a", "b"])
    assert responses[0]["body"]["string"] == '{"a": "Ünï", "b": null}'.encode()
    with vcr.use_cassette(str(path), serializer="json", record_mode="none"):
        response = httpx.get(SOURCE.url(["a", "b"]))
    assert (response.status_code, response.json(), response.headers["date"]) == (200, {"a": "Ünï", "b": None}, DATE)


def test_file_recorded_by_plain_vcrpy_is_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.yaml"
    with (
        serving(lambda _: reply('{"a": "Ünï"}', set_cookie="secret=1")) as server,
        vcr.use_cassette(str(path)),
        httpx.Client(trust_env=False) as client,
    ):
        client.get(server.url + "/works?ids=a", headers={"authorization": "Bearer x"})
    (loaded,) = load(path)
    assert (loaded.body, loaded.status) == ('{"a": "Ünï"}'.encode(), 200)
    save(tmp_path / "plain.json", [loaded])
    text = (tmp_path / "plain.json").read_text(encoding="utf-8")
    assert "secret" not in text
    assert "Bearer" not in text
    assert "user-agent" not in text.lower()


def test_compressed_and_binary_bodies_of_plain_vcrpy_are_read(tmp_path: Path) -> None:
    path = tmp_path / "plain.yaml"
    request = interaction("a").request
    bodies = [gzip.compress(b'{"a": 1}'), b"\xff\xfe\x00"]
    headers = [{"Content-Encoding": ["gzip"]}, {}]
    responses = [
        {"status": {"code": 200, "message": "OK"}, "headers": head, "body": {"string": body}}
        for head, body in zip(headers, bodies, strict=True)
    ]
    cassette = {"requests": [request, request], "responses": responses}
    path.write_text(serialize(cassette, yamlserializer), encoding="utf-8")
    assert [loaded.body for loaded in load(path)] == [b'{"a": 1}', b"\xff\xfe\x00"]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (b"", "JSONDecodeError"),
        (b'{"version": 1, "interactions": [{"request"', "JSONDecodeError"),
        (b"[]", "not a complete vcrpy cassette"),
        (b'{"version": 1}', "KeyError"),
        (b'{"interactions": [{"request": {}, "response": {}}]}', "not a complete vcrpy cassette"),
        (b"\xff", "UnicodeDecodeError"),
    ],
)
def test_broken_file_is_named_and_kept(tmp_path: Path, content: bytes, reason: str) -> None:
    path = tmp_path / "fake.json"
    path.write_bytes(content)
    with pytest.raises(CassetteError, match=reason) as caught:
        Cassette(tmp_path, SOURCE, fresh=False)
    assert str(path) in str(caught.value)
    recording = Cassette(tmp_path, SOURCE, fresh=True)
    recording.record(interaction("a"))
    with pytest.raises(CassetteError, match=reason):
        recording.save()
    assert path.read_bytes() == content


def test_broken_yaml_is_an_error_without_code_being_run(tmp_path: Path) -> None:
    (tmp_path / "fake.yaml").write_text("interactions: !!python/object/apply:os.getcwd []\nversion: 1\n")
    with pytest.raises(CassetteError, match=r"fake\.yaml"):
        Cassette(tmp_path, SOURCE, fresh=False)


def test_batch_is_found_by_each_part_and_singles_by_any_spelling(tmp_path: Path) -> None:
    save(tmp_path / "fake.json", [interaction("a", "b/1"), interaction("c")])
    cassette = Cassette(tmp_path, SOURCE, fresh=False)
    batch = cassette.find(asked("b/1"))
    assert batch is not None
    assert batch is cassette.find(asked("a")) is cassette.find(asked("a", "b/1"))
    assert batch is cassette.find(Request("fake", "https://API.fake.example.org/works?mailto=x%40y.org&ids=b/1"))
    assert cassette.find(asked("c")) is not batch
    assert cassette.find(asked("d")) is None


@pytest.mark.parametrize("batch_is_younger", [True, False])
def test_youngest_recording_answers(tmp_path: Path, batch_is_younger: bool) -> None:
    old, young = "Sat, 21 Nov 2026 08:00:00 GMT", "Sun, 22 Nov 2026 08:00:00 GMT"
    single, batch = (old, young) if batch_is_younger else (young, old)
    save(tmp_path / "fake.json", [interaction("a", date=single), interaction("a", "b", date=batch)])
    found = Cassette(tmp_path, SOURCE, fresh=False).find(asked("a"))
    assert found is not None
    assert found.header("date") == young


def test_errors_in_foreign_recordings_answer_nothing_and_redirects_are_followed(tmp_path: Path) -> None:
    moved = Interaction.of(asked("a"), 302, {"location": "/moved"}, b"")
    target = Interaction.of(Request("fake", SOURCE.base_url + "/moved"), 200, {}, b"{}")
    save(tmp_path / "fake.json", [moved, target, interaction("b", status=503)])
    cassette = Cassette(tmp_path, FakeSource(), fresh=False)
    found = cassette.find(asked("a"))
    assert found is not None
    assert found.body == b"{}"
    assert cassette.find(asked("b")) is None


def test_recording_merges_with_what_another_run_has_written(tmp_path: Path) -> None:
    first, second = Cassette(tmp_path, SOURCE, fresh=False), Cassette(tmp_path, SOURCE, fresh=False)
    first.record(interaction("a"))
    second.record(interaction("b"))
    first.save()
    second.save()
    first.record(interaction("c"))
    first.save()
    assert uris(tmp_path / "fake.json") == [SOURCE.url([value]) for value in "abc"]


def test_other_methods_are_kept_but_never_replayed(tmp_path: Path) -> None:
    posted = interaction("a")
    posted.request.method = "POST"
    save(tmp_path / "fake.json", [posted])
    cassette = Cassette(tmp_path, SOURCE, fresh=False)
    assert cassette.find(asked("a")) is None
    cassette.record(interaction("b"))
    cassette.save()
    assert [loaded.request.method for loaded in load(tmp_path / "fake.json")] == ["POST", "GET"]


def test_body_that_the_format_cannot_hold_is_refused(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path, SOURCE, fresh=False)
    with pytest.raises(UnicodeDecodeError):
        cassette.record(interaction("a", body=b"\xff"))
    cassette.save()
    assert not list(tmp_path.glob("*.json"))


def test_unwritable_folder_is_an_error(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path / "gone", SOURCE, fresh=False)
    cassette.record(interaction("a"))
    with pytest.raises(CassetteError, match="gone"):
        cassette.save()


def test_saving_waits_for_another_process(tmp_path: Path) -> None:
    cassette = Cassette(tmp_path, SOURCE, fresh=False)
    cassette.record(interaction("a"))
    saving = threading.Thread(target=cassette.save)
    with locked(tmp_path):
        saving.start()
        saving.join(0.1)
        assert saving.is_alive()
        assert not (tmp_path / "fake.json").exists()
    saving.join(10)
    assert (tmp_path / "fake.json").exists()


def _record_many(folder: Path, name: str) -> None:
    cassette = Cassette(folder, SOURCE, fresh=False)
    for number in range(20):
        cassette.record(interaction(f"{name}{number}"))
        cassette.save()


@pytest.mark.exhaustive
def test_two_processes_lose_nothing(tmp_path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    workers = [context.Process(target=_record_many, args=(tmp_path, name)) for name in "xy"]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    assert [worker.exitcode for worker in workers] == [0, 0]
    assert len(uris(tmp_path / "fake.json")) == 40
    assert list(tmp_path.iterdir()) == [tmp_path / "fake.json"]


@pytest.mark.parametrize("values", [None, [5], [None], 7])
def test_headers_that_are_no_text_break_a_cassette(tmp_path: Path, values: object) -> None:
    cassette = Cassette(tmp_path, SOURCE, fresh=False)
    cassette.record(interaction("a"))
    cassette.save()
    (path,) = tmp_path.glob("*.json")
    data = json.loads(path.read_text(encoding="utf-8"))
    data["interactions"][0]["response"]["headers"]["date"] = values
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CassetteError, match="the header date"):
        Cassette(tmp_path, SOURCE, fresh=False)


# Damage


def changed(folder: Path, old: str, new: str) -> Cassette:
    """A cassette in which this was recorded, and one text in its file replaced by another."""
    path = folder / "fake.json"
    save(path, [interaction("a", body=b'{"a": "On Bees"}'), interaction("b", body=b'{"b": "On Wasps"}')])
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new, 1), encoding="utf-8")
    return Cassette(folder, SOURCE, fresh=False)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("On Bees", "On Beer"),
        ('"code": 200', '"code": 404'),
        ('"code": 200', '"code": 302'),
        ("08:00:00", "09:00:00"),
        ('"GET"', '"PUT"'),
        ("ids=a", "ids=c"),
        ('"body": null', '"body": "x"'),
    ],
)
def test_what_was_changed_since_it_was_recorded_is_not_used_and_told_once(tmp_path: Path, old: str, new: str) -> None:
    cassette = changed(tmp_path, old, new)
    for value in ("a", "c"):
        found = cassette.find(asked(value))
        assert found is None or found.damaged
    other = cassette.find(asked("b"))
    assert other is not None
    assert not other.damaged
    if new != '"PUT"':  # which is never looked up
        assert cassette.problem.count("https://") == 1
        assert str(tmp_path / "fake.json") in cassette.problem
        assert f"ids={'c' if new == 'ids=c' else 'a'}" in cassette.problem


def test_many_damaged_recordings_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "fake.json"
    save(path, [interaction(value, body=b'"Bees"') for value in "abcde"])
    path.write_text(path.read_text(encoding="utf-8").replace("Bees", "Beer"), encoding="utf-8")
    problem = Cassette(tmp_path, SOURCE, fresh=False).problem
    assert (problem.count("https://"), "and 2 more" in problem) == (3, True)


def test_a_recording_without_a_checksum_is_taken_as_it_is(tmp_path: Path) -> None:
    cassette = changed(tmp_path, '"sha256"', '"other"')
    found = cassette.find(asked("a"))
    assert found is not None
    assert (found.damaged, found.checksum, cassette.problem) == (False, "", "")
    save(tmp_path / "fake.json", load(tmp_path / "fake.json"))
    assert (tmp_path / "fake.json").read_text(encoding="utf-8").count("sha256") == 1


def test_a_damaged_recording_stays_one_until_it_is_recorded_again(tmp_path: Path) -> None:
    cassette = changed(tmp_path, "On Bees", "On Beer")
    cassette.record(interaction("c"))
    cassette.save()
    again = Cassette(tmp_path, SOURCE, fresh=False)
    assert "ids=a" in again.problem
    again.record(interaction("a"))
    assert again.problem == ""
    again.save()
    assert Cassette(tmp_path, SOURCE, fresh=False).problem == ""


@pytest.mark.parametrize("date", ["Fri, 20 Nov 2026 08:00:00 GMT", "Sun, 22 Nov 2026 08:00:00 GMT"])
def test_one_that_is_not_damaged_answers_before_one_that_is(tmp_path: Path, date: str) -> None:
    save(tmp_path / "fake.json", [interaction("a", body=b'"Bees"'), interaction("a", "b", date=date)])
    path = tmp_path / "fake.json"
    path.write_text(path.read_text(encoding="utf-8").replace("Bees", "Beer"), encoding="utf-8")
    found = Cassette(tmp_path, SOURCE, fresh=False).find(asked("a"))
    assert found is not None
    assert found.body == b"{}"


def test_a_checksum_that_is_no_text_breaks_a_cassette(tmp_path: Path) -> None:
    path = tmp_path / "fake.json"
    save(path, [interaction("a")])
    data = json.loads(path.read_text(encoding="utf-8"))
    data["interactions"][0]["response"]["sha256"] = 7
    path.write_text(json.dumps(data), encoding="utf-8")
    with pytest.raises(CassetteError, match="checksum"):
        load(path)


# Writing that fails


@pytest.mark.parametrize("call", ["os.fsync", "os.replace"])
def test_a_full_disk_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    path = tmp_path / "fake.json"
    save(path, [interaction("a")])
    before = path.read_bytes()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(call, full)
    with pytest.raises(CassetteError, match="No space left"):
        save(path, [interaction("a"), interaction("b")])
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])


def test_what_the_format_cannot_hold_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    path = tmp_path / "fake.json"
    save(path, [interaction("a")])
    before = path.read_bytes()
    strange = interaction("b")
    strange.request.uri = "https://api.fake.example.org/\ud800"
    with pytest.raises(CassetteError):
        save(path, [strange])
    assert (path.read_bytes(), list(tmp_path.iterdir())) == (before, [path])


@pytest.mark.skipif(os.name != "posix", reason="links need rights elsewhere")
def test_no_link_is_followed_when_writing(tmp_path: Path) -> None:
    (tmp_path / "mine").write_text("precious")
    (tmp_path / f".fake.json.{os.getpid()}.tmp").symlink_to(tmp_path / "mine")
    save(tmp_path / "fake.json", [interaction("a")])
    assert (tmp_path / "mine").read_text() == "precious"
    assert uris(tmp_path / "fake.json") == [SOURCE.url(["a"])]
