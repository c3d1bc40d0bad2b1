"""Policies: severity of findings, custom policies, and the effect on every code of the project."""

from __future__ import annotations

import ast
import itertools
import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Literal, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pytest_citecheck.benchmark import predicted
from pytest_citecheck.checks import (
    CHECKS,
    CODES,
    DEFAULT,
    POLICIES,
    SEVERITIES,
    Policy,
    PolicyContext,
    PolicyError,
    default_severity,
    named_policy,
    read_policy,
)
from pytest_citecheck.checks import TABLE as CODE_TABLE
from pytest_citecheck.model import Finding, Outcome, Unavailable, VerdictName
from tests.support.evidence_builders import absent, asked, evaluated, found, record, reference
from tests.support.suites import first_fast

PACKAGE = Path(__file__).parents[2] / "pytest_citecheck"
E, W, _, I = SEVERITIES  # noqa: E741 - one letter a column


def severity(
    policy: str,
    code: str,
    check: str,
    outcome: Outcome,
    verdict: VerdictName,
    *,
    outage: bool = False,
    kind: str = "article",
) -> str:
    context = PolicyContext(verdict, outage, frozenset({kind}))
    against = outcome == "unverifiable" and {row.outcome for row in CODE_TABLE if row.name == code} == {"failed"}
    finding = Finding(check, outcome, code, "", level="warning" if against else "")
    return named_policy(policy).severity(finding, context)


TABULATED = ("default", "strict", "neurips-2026", "arena", "lenient")
VENUES = ("acl-2026", "iclr-2026", "arxiv-2026")


# Read off docs/policies.md: default, strict, neurips-2026, arena, lenient.
TABLE: list[tuple[str, str, Outcome, VerdictName, tuple[str, ...]]] = [
    ("title-ok", "title", "passed", "verified", (I, I, I, I, I)),
    ("title-not-found", "title", "failed", "fabricated", (E, E, E, E, E)),
    ("title-not-in-venue", "title", "failed", "fabricated", (E, E, E, E, E)),
    ("title-not-in-venue", "title", "failed", "misdescribed", (E, E, E, E, W)),
    ("not-found", "title", "unverifiable", "undecided", (I, E, E, E, I)),
    ("title-near-miss", "title", "failed", "misdescribed", (E, E, W, W, W)),
    ("title-misspelt", "title", "failed", "misdescribed", (E, E, W, W, W)),
    ("title-published", "title", "unverifiable", "undecided", (W, E, W, W, W)),
    ("title-similar", "title", "unverifiable", "undecided", (W, E, W, W, W)),
    ("title-similar", "title", "failed", "misdescribed", (E, E, W, W, W)),
    ("title-variant", "title", "unverifiable", "undecided", (I, E, W, W, I)),
    ("title-mixed", "title", "unverifiable", "undecided", (W, E, W, W, W)),
    ("title-subtitle", "title", "unverifiable", "undecided", (W, E, W, W, W)),
    ("title-translated", "title", "unverifiable", "undecided", (I, E, I, W, I)),
    ("authors-other", "authors", "failed", "misdescribed", (E, E, E, W, W)),
    ("authors-partly-other", "authors", "failed", "misdescribed", (E, E, E, W, W)),
    ("authors-truncated", "authors", "failed", "misdescribed", (E, E, W, I, W)),
    ("authors-left-out", "authors", "failed", "misdescribed", (W, E, W, I, W)),
    ("authors-misspelled", "authors", "failed", "misdescribed", (E, E, W, W, W)),
    ("authors-other", "authors", "unverifiable", "undecided", (W, E, E, W, W)),
    ("authors-misspelled", "authors", "unverifiable", "undecided", (W, E, W, W, W)),
    ("authors-reordered", "authors", "unverifiable", "undecided", (W, E, W, I, W)),
    ("authors-renamed", "authors", "unverifiable", "undecided", (W, E, I, I, W)),
    ("authors-unclear", "authors", "unverifiable", "undecided", (I, E, I, I, I)),
    ("authors-missing", "authors", "unverifiable", "verified", (I, I, I, I, I)),
    ("venue-other", "venue", "failed", "misdescribed", (E, E, W, I, W)),
    ("venue-doi", "venue", "failed", "misdescribed", (E, E, W, I, W)),
    ("venue-preprint-only", "venue", "failed", "misdescribed", (E, E, E, I, W)),
    ("venue-preprint-only", "venue", "unverifiable", "undecided", (I, E, E, I, I)),
    ("venue-elsewhere", "venue", "unverifiable", "undecided", (W, E, W, I, W)),
    ("venue-main", "venue", "unverifiable", "undecided", (W, E, W, I, W)),
    ("venue-version", "venue", "unverifiable", "undecided", (I, E, W, I, I)),
    ("venue-unclear", "venue", "unverifiable", "verified", (I, E, I, I, I)),
    ("venue-unknown", "venue", "unverifiable", "verified", (I, E, I, I, I)),
    ("venue-preprint-unknown", "venue", "unverifiable", "verified", (I, E, I, I, I)),
    ("venue-missing", "venue", "unverifiable", "verified", (I, I, I, I, I)),
    ("doi-other-work", "doi", "failed", "misdescribed", (E, E, W, I, E)),
    ("arxiv-unknown", "doi", "failed", "undecided", (E, E, W, I, E)),
    ("doi-unregistered", "doi", "failed", "misdescribed", (E, E, W, I, E)),
    ("doi-malformed", "doi", "failed", "misdescribed", (E, E, W, I, E)),
    ("arxiv-malformed", "doi", "failed", "misdescribed", (E, E, W, I, E)),
    ("doi-registrant", "doi", "failed", "misdescribed", (E, E, W, I, W)),
    ("doi-registrant", "doi", "unverifiable", "undecided", (W, E, W, I, W)),
    ("doi-other-number", "doi", "unverifiable", "undecided", (W, E, W, I, W)),
    ("doi-venue", "doi", "failed", "misdescribed", (E, E, W, I, W)),
    ("doi-year", "doi", "failed", "misdescribed", (E, E, W, I, W)),
    ("doi-year", "doi", "unverifiable", "verified", (I, E, I, I, I)),
    ("doi-year", "doi", "unverifiable", "undecided", (I, E, W, I, I)),
    ("doi-other-version", "doi", "failed", "misdescribed", (E, E, W, I, W)),
    ("not-found", "doi", "unverifiable", "undecided", (I, E, W, I, I)),
    ("not-found", "doi", "unverifiable", "verified", (I, E, I, I, I)),
    ("doi-not-cited", "doi", "unverifiable", "undecided", (I, I, I, I, I)),
    ("doi-to-add", "doi", "unverifiable", "verified", ("info", "info", I, I, "info")),
    ("year-other", "cross_db", "failed", "misdescribed", (E, E, W, W, W)),
    ("year-other", "cross_db", "unverifiable", "undecided", (W, E, W, W, W)),
    ("year-printed", "cross_db", "passed", "verified", ("info", "info", I, I, "info")),
    ("year-mixed", "cross_db", "failed", "misdescribed", (E, E, W, W, W)),
    ("year-doi", "cross_db", "failed", "misdescribed", (E, E, W, W, W)),
    ("year-preprint", "cross_db", "failed", "misdescribed", (E, E, W, W, W)),
    ("year-preprint", "cross_db", "unverifiable", "verified", (I, I, I, I, I)),
    ("year-unclear", "cross_db", "unverifiable", "undecided", (I, E, I, I, I)),
    ("single-source", "cross_db", "unverifiable", "verified", (I, I, I, I, I)),
    ("not-found", "cross_db", "unverifiable", "undecided", (I, E, I, I, I)),
    ("field-missing", "completeness", "failed", "verified", (E, E, I, I, W)),
    ("year-future", "completeness", "failed", "misdescribed", (E, E, W, I, W)),
    ("missing-comma", "syntax", "failed", "verified", (E, E, W, W, W)),
    ("doi-retraction", "doi", "passed", "verified", (W, E, "info", "info", W)),
]


@pytest.mark.parametrize(("code", "check", "outcome", "verdict", "expected"), TABLE)
def test_severities(code: str, check: str, outcome: Outcome, verdict: VerdictName, expected: tuple[str, ...]) -> None:
    assert tuple(severity(policy, code, check, outcome, verdict) for policy in TABULATED) == expected


def test_of_several_codes_the_worst_decides() -> None:
    policy = Policy("own", codes={"year-malformed": "ignore", "issn-invalid": "warning"})
    several = Finding("completeness", "failed", "year-malformed", "", also=("issn-invalid",))
    assert policy.severity(several, PolicyContext()) == "warning"
    assert policy.severity(replace(several, also=()), PolicyContext()) == "ignore"
    assert policy.severity(replace(several, also=("issn-invalid", "field-missing")), PolicyContext()) == "error"


CHECK_OF = {
    "arxiv": "doi",
    "number": "doi",
    "year": "cross_db",
    "field": "completeness",
    "isbn": "completeness",
    "issn": "completeness",
}


def documented() -> list[tuple[str, str, Outcome, tuple[str, ...]]]:
    """Code, check, outcome and severities of the rows of docs/policies.md that are about codes alone."""
    rows = []
    for line in (PACKAGE.parent / "docs" / "policies.md").read_text(encoding="utf-8").splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        _, colon, codes = cells[0].partition(": `")
        if len(cells) == 6 and colon and not any("(" in cell or "," in cell for cell in cells[1:]):
            severities = tuple(cell or I for cell in cells[1:])
            last = codes.rpartition(", ")[2]
            outcome: Outcome = "unverifiable" if last == "open" else "passed" if last == "passed" else "failed"
            for code in re.findall(r"[a-z]+(?:-[a-z]+)+", codes):
                check = CHECK_OF.get(code.partition("-")[0], code.partition("-")[0])
                in_entry = code in ("year-future", "year-malformed", "year-implausible") or code.startswith("url")
                rows.append((code, "completeness" if in_entry else check, outcome, severities))
    return rows


def test_the_table_for_users_says_what_the_policies_do() -> None:
    rows = documented()
    assert len(rows) > 40
    for code, check, outcome, expected in rows:
        assert code in CODES
        warned = severity("default", code, check, outcome, "undecided") == "warning"  # then it is not verified
        verdict: VerdictName = "misdescribed" if outcome == "failed" else "undecided" if warned else "verified"
        assert tuple(severity(policy, code, check, outcome, verdict) for policy in TABULATED) == expected, code


@pytest.mark.exhaustive
@pytest.mark.parametrize("policy", first_fast(POLICIES, 2))
def test_no_outage_is_ever_held_against_a_reference(policy: str) -> None:
    for check in CHECKS:
        for code in CODES:
            told = severity(policy, code, check, "unverifiable", "undecided", outage=True)
            # What records show stays a warning or a hint; nothing becomes an error.
            retracted = code in ("doi-retraction", "doi-removal", "doi-concern")
            assert told in ("info", W) if retracted else told in (I, W, default_severity("unverifiable", code))
            assert default_severity("unverifiable", code) != E


@pytest.mark.parametrize("kind", ["book", "phdthesis", "techreport", "misc", "online"])
def test_a_title_that_nobody_knows_proves_nothing_of_what_nobody_lists(kind: str) -> None:
    # Many theses and reports are in no database that is asked; that a policy demands to see them is another thing.
    held = [severity(policy, "not-found", "title", "unverifiable", "undecided", kind=kind) for policy in TABULATED]
    assert held == [I, E, I, E, I]
    held = [severity(policy, "title-near-miss", "title", "failed", "misdescribed", kind=kind) for policy in TABULATED]
    assert held == [E, E, W, W, W]


@pytest.mark.parametrize("policy", VENUES)
@pytest.mark.parametrize(
    ("code", "check", "outcome", "verdict", "expected"),
    [
        ("title-not-found", "title", "failed", "fabricated", E),
        ("title-not-in-venue", "title", "failed", "misdescribed", W),
        ("authors-other", "authors", "failed", "misdescribed", W),
        ("venue-other", "venue", "failed", "misdescribed", W),
        ("doi-unregistered", "doi", "failed", "misdescribed", W),
        ("field-missing", "completeness", "failed", "verified", I),
        ("not-found", "title", "unverifiable", "undecided", W),
        ("not-found", "venue", "unverifiable", "undecided", I),
        ("title-ok", "title", "passed", "verified", I),
    ],
)
def test_venues_fail_works_that_do_not_exist_and_nothing_else(
    policy: str, code: str, check: str, outcome: Outcome, verdict: VerdictName, expected: str
) -> None:
    assert severity(policy, code, check, outcome, verdict) == expected


@pytest.mark.parametrize("name", VENUES)
def test_the_file_of_a_venue_states_its_source_and_the_day_it_was_read(name: str) -> None:
    head = (PACKAGE / "checks" / "data" / f"{name}.toml").read_text(encoding="utf-8").split("\n\n")[0]
    assert re.search(r"https://\S+", head)
    assert "2026-11-29" in head
    assert set(head.splitlines()) == {line for line in head.splitlines() if line.startswith("# ")}


# By state, the sentence of a finding that a policy fails or warns of; “…” stands for the name that the policy has for it.
SENTENCES = {
    "known": "policy P calls this “…”",
    "open": "policy P fails what is not verified, and calls this “…”",
    "open, a warning": "policy P warns about what is not verified, and calls this “…”",
    "open, without a name": "policy P fails what is not verified",
    "open, a warning without a name": "policy P warns about what is not verified",
}
# The words that claim more than that nobody knows the work.
CLAIMS = re.compile(r"(?<!possible )(?:hallucinated|error to report|non-existent)|fabricated|invented", re.IGNORECASE)


@pytest.mark.sample(1)
@pytest.mark.parametrize("name", POLICIES)
def test_no_outcome_of_a_policy_claims_what_is_not_known(name: str) -> None:
    """All codes with all verdicts, checks and outages, and an own policy that fails everything."""
    strictest = read_policy(
        f'extends = "{name}"\nkinds = []\n[failed]\n'
        + "".join(f'{check} = "error"\n' for check in CHECKS)
        + "[unverifiable]\n"
        + "".join(f'{check} = "error"\n' for check in CHECKS),
        "p.toml",
        "P",
    )
    allowed = set(SENTENCES.values()) | {""}
    for policy in (replace(named_policy(name), name="P"), strictest):
        for row, check, verdict, outage, level in itertools.product(
            CODE_TABLE, CHECKS, get_args(VerdictName), (False, True), ("", "warning")
        ):
            against: Literal["", "warning"] = "warning" if level and row.outcome == "unverifiable" else ""
            finding = Finding(check, row.outcome, row.name, "", level=against)
            said = policy.decide(finding, PolicyContext(verdict, outage, frozenset({"article"})))
            assert bool(said.said) == bool(said.sentence)
            sentence = said.sentence.replace(f"“{said.called}”", "“…”") if said.called else said.sentence
            assert sentence in allowed, (row.name, said)
            if row.outcome == "unverifiable":
                assert not CLAIMS.search(said.called), (row.name, verdict, said)
                assert sentence != SENTENCES["known"], (row.name, said)
                assert not (outage and said.said), (row.name, said)
            elif said.said:
                assert sentence == SENTENCES["known"], (row.name, said)


def test_a_name_for_known_findings_is_not_one_for_open_ones() -> None:
    policy = read_policy('[calls]\nerror = "invented"\n[unverifiable]\ntitle = "error"', "p.toml", "P")
    open_ = Finding("title", "unverifiable", "not-found", "")
    known = Finding("title", "failed", "title-not-found", "")
    about = PolicyContext("undecided")
    assert policy.decide(open_, about).said == "the title is not verified (policy P)"
    assert policy.decide(known, about).said == "invented (policy P)"
    assert policy.names == {E: "invented"}


def test_only_the_invented_and_what_names_another_work_fail_leniently() -> None:
    for check in ("title", "authors", "venue", "cross_db", "completeness", "syntax"):
        for verdict in ("verified", "misdescribed", "undecided"):
            assert severity("lenient", "title-other", check, "failed", verdict) == W


# --- labels of a benchmark

HE = ("Deep Residual Learning for Image Recognition", "Kaiming He; Xiangyu Zhang; Shaoqing Ren; Jian Sun")
KNOWN = record(*HE, year=2016, venue="CVPR", source="dblp")
AGREE = (found(KNOWN), found(record(*HE, year=2016, venue="CVPR", source="crossref")))
CITED = {"title": HE[0], "author": HE[1].replace(";", " and"), "booktitle": "CVPR", "year": "2016"}
NOBODY = {**CITED, "title": "On an altogether unheard-of matter", "author": "Ada Quillfeather"}
ARXIV = {"title": NOBODY["title"], "author": NOBODY["author"], "year": "2020", "howpublished": "arXiv preprint"}
PREPRINT = record(*HE, year=2015, venue="CoRR", source="arxiv", type="preprint", arxiv="1512.03385")


@pytest.mark.parametrize(
    ("policy", "fields", "answers", "expected"),
    [
        ("default", CITED, AGREE, "VALID"),
        ("neurips-2026", CITED, AGREE, "VALID"),
        ("arena", CITED, AGREE, "VALID"),
        # Nobody knows the title, and everybody answered.
        ("default", NOBODY, (absent("dblp"),), "UNCERTAIN"),
        ("strict", NOBODY, (absent("dblp"),), "UNCERTAIN"),
        ("neurips-2026", NOBODY, (absent("dblp"),), "HALLUCINATED"),
        ("arena", NOBODY, (absent("dblp"),), "HALLUCINATED"),
        # Of a thesis nobody need know, unless it is said to be a preprint.
        ("neurips-2026", {**NOBODY, "entrytype": "phdthesis"}, (absent("dblp"),), "UNCERTAIN"),
        ("arena", {**NOBODY, "entrytype": "phdthesis"}, (absent("dblp"),), "HALLUCINATED"),
        ("neurips-2026", {**ARXIV, "entrytype": "misc"}, (absent("arxiv"),), "HALLUCINATED"),
        # Somebody did not.
        ("neurips-2026", NOBODY, (absent("dblp"), asked("crossref", "title", "x", Unavailable("timeout"))), "UNCERTAIN"),
        ("arena", NOBODY, (absent("dblp"), asked("crossref", "title", "x", Unavailable("timeout"))), "UNCERTAIN"),
        # Nobody else was to be asked, where somebody was; and where nobody was.
        ("neurips-2026", NOBODY, (absent("index"), asked("dblp", "title", "x", Unavailable("offline"))), "HALLUCINATED"),
        ("neurips-2026", NOBODY, (asked("dblp", "title", "x", Unavailable("offline")),), "UNCERTAIN"),
        # Only a preprint is known: a venue without evidence, which the Arena does not look at.
        ("default", CITED, (found(PREPRINT),), "UNCERTAIN"),
        ("neurips-2026", CITED, (found(PREPRINT),), "HALLUCINATED"),
        ("arena", {**CITED, "year": "2015"}, (found(PREPRINT),), "VALID"),
        # Other people.
        ("default", {**CITED, "author": "Ada Byron and Max Muster"}, AGREE, "HALLUCINATED"),
        ("neurips-2026", {**CITED, "author": "Ada Byron and Max Muster"}, AGREE, "HALLUCINATED"),
        # A missing author is no reason in the Arena.
        ("neurips-2026", {**CITED, "author": "Kaiming He and Xiangyu Zhang and Shaoqing Ren"}, AGREE, "HALLUCINATED"),
        ("arena", {**CITED, "author": "Kaiming He and Xiangyu Zhang and Shaoqing Ren"}, AGREE, "VALID"),
    ],
)  # fmt: skip
def test_predicted_labels(policy: str, fields: dict[str, str], answers: tuple[object, ...], expected: str) -> None:
    type_ = fields.get("entrytype", "inproceedings")
    evaluation = evaluated(reference(type_, **fields), *answers)  # type: ignore[arg-type]
    assert predicted(evaluation, named_policy(policy)) == expected


# --- files


def test_the_most_specific_row_decides() -> None:
    policy = read_policy(
        '[failed]\nmisdescribed = "ignore"\nvenue = "warning"\n[codes]\nvenue-other = "error"', "p.toml", "p"
    )

    def of(check: str, code: str) -> str:
        return policy.severity(Finding(check, "failed", code, ""), PolicyContext("misdescribed"))

    assert of("venue", "venue-other") == E
    assert of("venue", "venue-preprint-only") == W
    assert of("title", "title-near-miss") == I
    assert policy.severity(Finding("title", "failed", "title-not-found", ""), PolicyContext("fabricated")) == E


def test_extending_keeps_what_is_not_said_anew() -> None:
    policy = read_policy(
        'extends = "neurips-2026"\nhallucinated = ["error"]\n[calls]\nwarning = "slip"\n[codes]\nyear-other = "ignore"\n'
        '[unverifiable]\ntitle = "warning"',
        "ours.toml",
        "ours",
    )
    base = named_policy("neurips-2026")
    assert policy.name == "ours"
    assert policy.codes == {**base.codes, "year-other": I}
    assert policy.failed == base.failed
    assert policy.unverifiable == {**base.unverifiable, "title": W}
    assert policy.calls == {E: "hallucinated reference", W: "slip"}
    assert policy.hallucinated == {E}


def test_a_code_of_the_policy_that_is_extended_goes_before_ones_own_check() -> None:
    rows = '[failed]\nauthors = "ignore"\n[unverifiable]\nvenue = "error"\n'
    other, elsewhere = (
        Finding("authors", "failed", "authors-other", ""),
        Finding("venue", "unverifiable", "venue-elsewhere", ""),
    )
    for more, expected in (("", (E, W)), ('[codes]\nauthors-other = "ignore"\nvenue-elsewhere = "error"', (I, E))):
        policy = read_policy(f'extends = "neurips-2026"\n{rows}{more}', "p.toml", "p")
        about = PolicyContext("misdescribed", kinds=frozenset({"article"}))
        assert (policy.severity(other, about), policy.severity(elsewhere, about)) == expected


def test_an_empty_file_is_the_default() -> None:
    assert read_policy("", "default.toml", "default") == DEFAULT == named_policy("default")


@pytest.mark.parametrize("limit", [0, 0.002, 1])
def test_a_file_may_set_the_limit_of_what_is_unfindable(limit: float) -> None:
    assert read_policy(f"escape-limit = {limit}", "p.toml", "p").escape_limit == limit
    assert read_policy('extends = "default"', "p.toml", "p").escape_limit == DEFAULT.escape_limit


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('extends = "stric"', "extends: unknown policy: 'stric'; did you mean strict?"),
        ("extends = 3", f"extends: one of {', '.join(POLICIES)} is expected"),
        ('[codes]\ntitle-near-mis = "error"', "codes: unknown code: 'title-near-mis'; did you mean title-near-miss?"),
        ('[codes]\nqqqqqqq = "error"', "codes: unknown code: 'qqqqqqq'; see docs/checks.md"),
        ('[failed]\ntitel = "error"', "failed: unknown check or verdict: 'titel'; did you mean title?"),
        ('[unverifiable]\nfabricatd = "error"', "unknown check or verdict: 'fabricatd'; did you mean fabricated?"),
        ('[failed]\ntitle = "eror"', "failed.title: unknown severity: 'eror'; did you mean error?"),
        ("[failed]\ntitle = true", "failed.title: one of error, warning, info, ignore is expected"),
        ('[codes]\nvenue = "error"', "codes: 'venue' is a check or verdict, not a code: move it to failed or unverifiable"),
        ('[codes]\nfabricated = "error"', "codes: 'fabricated' is a check or verdict, not a code"),
        ("[codes]\ntitle-ok = [1]", "codes.title-ok: one of error, warning, info, ignore is expected"),
        ('[calls]\nfatal = "x"', "calls: unknown severity: 'fatal'"),
        ("[calls]\nerror = 1", "calls.error: a string is expected"),
        ('hallucinated = "error"', "hallucinated: a list of error, warning, info, ignore is expected"),
        ('hallucinated = ["eror"]', "hallucinated: unknown severity: 'eror'; did you mean error?"),
        ('kinds = "book"', "kinds: a list of types of entries is expected"),
        ('kinds = ["bok"]', "kinds: unknown type of entry: 'bok'; did you mean book?"),
        ("kinds = [[]]", "kinds: unknown type of entry: '[]'"),
        ("codes = 1", "codes: a table is expected"),
        ("[code]", "unknown key: 'code'; did you mean codes?"),
        ('[codes]\nunavailable = "error"', "codes.unavailable: an outage never counts against a reference"),
        ("escape-limit = 1.5", "escape-limit: a probability from 0 to 1 is expected"),
        ("escape-limit = true", "escape-limit: a probability from 0 to 1 is expected"),
        ("escape-limit = nan", "escape-limit: a probability from 0 to 1 is expected"),
        ("[codes", "not valid TOML: "),
        ("a=" + "[" * 5000, "nested too deeply"),
        ('"\\u001b[2J" = 1', "unknown key: '\\x1b[2J'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_file_key_and_the_nearest_name(text: str, said: str) -> None:
    with pytest.raises(PolicyError) as error:
        read_policy(text, "dir/p.toml", "p")
    assert str(error.value).startswith("dir/p.toml: ")
    assert said in str(error.value)
    assert "\x1b" not in str(error.value)


NAMES = st.sampled_from([*CODES, *CHECKS, "verified", "fabricated"]) | st.text(max_size=6)
ROWS = st.dictionaries(NAMES, st.sampled_from(SEVERITIES) | st.integers() | st.text(max_size=6), max_size=3)


@given(st.dictionaries(st.sampled_from(["codes", "failed", "unverifiable", "calls"]), ROWS), st.text(max_size=20))
def test_whatever_is_written_is_a_policy_or_a_named_error(tables: dict[str, dict[str, object]], more: str) -> None:
    # JSON's strings and numbers are TOML's, but for one character.
    rows = [
        [f"[{table}]", *(f"{json.dumps(k)} = {json.dumps(v)}" for k, v in rows.items())]
        for table, rows in tables.items()
    ]
    text = "\n".join(line for table in rows for line in table).replace("\x7f", "") + f"\n# {more}"
    try:
        policy = read_policy(text, "p.toml", "p")
    except PolicyError as error:
        said = str(error)
    else:
        said = "p.toml: "
        for table in ("codes", "failed", "unverifiable"):
            assert dict(getattr(policy, table)) == {**getattr(DEFAULT, table), **tables.get(table, {})}
    assert said.startswith("p.toml: ")


# --- codes


def string_constants(path: Path) -> set[str]:
    return {
        node.value
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Constant) and isinstance(node.value, str)
    }


def test_every_code_of_a_finding_is_known() -> None:
    checks = [
        path
        for path in (PACKAGE / "checks").glob("*.py")
        if path.stem not in {"codes", "verdict", "policies", "likelihoods"}
    ]
    written = set().union(*map(string_constants, [*checks, PACKAGE / "matching" / "author_lists.py"]))
    # Codes of both kinds of identifiers are put together: f"{kind}-ok".
    halves = {
        found for path in checks for found in re.findall(r'f"\{kind\}(-[a-z-]+)"', path.read_text(encoding="utf-8"))
    }
    written |= {kind + half for kind in ("doi", "arxiv") for half in halves} - {"doi-unknown"}  # "doi-unregistered"
    prefixes = "doi|arxiv|title|authors|venue|year|field|isbn|issn|url|agree|single|sources|other|not|compiled|syntax"
    used = {word for word in written if re.fullmatch(rf"(?:{prefixes})-[a-z]+(?:-[a-z]+)*", word)}
    assert len(used) > 50
    assert used <= set(CODES)


def test_every_fault_that_a_reader_mends_is_known() -> None:
    source = "\n".join(path.read_text(encoding="utf-8") for path in (PACKAGE / "inputs").rglob("*.py"))
    calls = r'(?:Problem|Defect|_problem|_skip_line|_stub)\((?:[^()"]*,\s*)?"([a-z]+(?:-[a-z]+)+)"'
    notes = {
        "encoding-guessed",
        "stray-at",
        "stray-fields",
        "commented-entries",
        "unusual-value",
        "no-bibliography",
        "bbl-read",
        "pdf-read",
        "not-followed",
        "list-short",
        "numbering-gap",
        "outside-list",
    }  # never of a finding
    used = set(re.findall(calls, source)) - notes
    assert len(used) > 20
    assert used <= set(CODES)


def test_every_code_is_explained_in_a_sentence() -> None:
    for code, meaning in CODES.items():
        assert re.fullmatch(r"[a-z][a-z0-9]*(?:-[a-z]+)*", code)
        assert 10 < len(meaning) < 100
        assert not meaning.endswith(".")
