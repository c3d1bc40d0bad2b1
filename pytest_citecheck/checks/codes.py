"""The table of codes: every code that a finding can have, by check and outcome.

The pages below docs/checks are written from it (``python -m tests.pages``), the reports take their second language from
it, and policies (`pytest_citecheck.checks.policies`) name findings by these codes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, get_args

from pytest_citecheck.model import Finding, Outcome

Basis = Literal[
    "",
    "entry",
    "record",
    "several records",
    "registry",
    "complete list",
    "coverage of the sources",
    "form of the identifier",
    "web server",
]
"""Evidence behind a finding; empty for undecided findings."""

Severity = Literal["error", "warning", "info", "ignore"]
"""Effect of a finding, worst first: fail the test, warn, count as a hint, or nothing."""

Harm = Literal["invented", "misleading", "slip"]
"""Harm of a failed finding, worst first: fabricated or a different work; misleading; minor."""
HARMS: Final[tuple[Harm, ...]] = get_args(Harm)

_BY_OUTCOME: Final[Mapping[Outcome, Severity]] = MappingProxyType(
    {"passed": "ignore", "failed": "error", "unverifiable": "ignore"}
)


@dataclass(frozen=True, slots=True)
class Code:
    """A row of the table. check: ``any`` for codes that all checks share. translation: the sentence in Chinese, for
    reports; empty where reports do not show the code or quote the reader. stated: default severity, if it differs from
    the one of the outcome (failed: error; other outcomes: ignored)."""

    check: str
    outcome: Outcome
    name: str
    sentence: str
    basis: Basis = ""
    translation: str = ""
    stated: Severity | None = None

    @property
    def severity(self) -> Severity:
        """Default severity, which policies can change."""
        return self.stated or _BY_OUTCOME[self.outcome]


TABLE: Final = (
    # any check
    Code("any", "unverifiable", "unavailable", "sources that may have the work did not answer", "", "数据源无答复"),
    Code("any", "unverifiable", "not-recorded", "the cassettes contain no answer", "", "录制的答复中没有该查询"),
    Code("any", "unverifiable", "not-found", "the sources queried have no record of the work",
         "", "所查数据源均无该文献的记录"),
    Code("any", "unverifiable", "not-asked", "no source covers references of this type", "", "没有收录此类文献的数据源"),
    Code("any", "unverifiable", "reading-uncertain",
         "only the most probable reading of the string delimits this field, and no record confirms it",
         "", "仅为该引文字符串最可能的切分,无记录可证实"),
    # doi
    Code("doi", "passed", "doi-ok", "the record of the cited DOI is this work", "record"),
    Code("doi", "passed", "doi-none", "no DOI is cited, and the work has none", "record"),
    Code("doi", "unverifiable", "doi-not-cited", "no DOI or arXiv id is cited", "", "未引用 DOI 或 arXiv 编号"),
    Code("doi", "unverifiable", "doi-to-add", "no DOI is cited, and the work has one", "", "未引用 DOI,而该文献有 DOI", "info"),
    Code("doi", "passed", "doi-retitled", "the cited DOI belongs to a version with a different title", "record"),
    Code("doi", "failed", "doi-malformed", "the cited DOI is malformed", "entry", "DOI 格式错误"),
    Code("doi", "failed", "doi-unregistered", "the registry has no such DOI", "registry", "该 DOI 不存在"),
    Code("doi", "failed", "doi-registrant", "no source has a record of the DOI, and its prefix belongs to a "
                                            "different publisher",
         "form of the identifier", "该 DOI 的注册者不属于此会议或期刊"),
    Code("doi", "failed", "doi-venue", "no source has a record of the DOI, and its form belongs to a different venue",
         "form of the identifier", "该 DOI 属于另一会议或期刊"),
    Code("doi", "failed", "doi-year", "no source has a record of the DOI, and its form belongs to a different year",
         "form of the identifier", "该 DOI 属于另一年份"),
    Code("doi", "unverifiable", "doi-year", "no source has a record of the DOI; the cited year may be the year of a preprint",
         "", "所引年份可能是预印本的年份"),
    Code("doi", "failed", "doi-other-version", "the cited DOI belongs to a different version than the cited venue and year",
         "record", "该 DOI 属于同一文献的另一版本"),
    Code("doi", "failed", "doi-other-work", "the cited DOI belongs to a different work", "record", "该 DOI 属于另一文献"),
    Code("doi", "failed", "doi-other-number", "records of the work have a different DOI, and no record has the cited one",
         "several records", "该文献的记录载有另一 DOI"),
    Code("doi", "failed", "doi-prefix", "no record has the DOI, and no registrant has its prefix", "form of the identifier",
         "该 DOI 的前缀未分配"),
    Code("doi", "failed", "doi-beyond-volume", "no record has the DOI, and its number is higher than any in the volume",
         "form of the identifier", "该 DOI 的编号超出该卷的范围"),
    Code("doi", "failed", "number-other-work", "the cited ISBN or catalogue number belongs to a different work",
         "several records", "该 ISBN 或目录编号属于另一文献"),
    Code("doi", "passed", "number-mistaken",
         "another identifier is correct, but the ISBN or catalogue number belongs to a different work", "record",
         stated="warning"),
    Code("doi", "unverifiable", "doi-registered", "the cited DOI is registered, but no source has its metadata",
         "", "该 DOI 已注册,但无元数据可供比较"),
    Code("doi", "unverifiable", "doi-short", "a short DOI is cited, and doi.org was not queried for it",
         "", "引用的是短 DOI,未解析"),
    Code("doi", "unverifiable", "doi-placeholder", "the cited DOI is the ACM Digital Library's number for a work without one",
         "", "并非 DOI,而是 ACM 数字图书馆的编号"),
    Code("doi", "unverifiable", "doi-unclear", "the record of the cited DOI has too little metadata to compare",
         "", "该 DOI 的记录不足以比较"),
    *(
        Code(
            "doi", outcome, name, sentence, "" if outcome == "unverifiable" else "record",
            "" if outcome == "passed" else translation, "warning",
        )
        for name, sentence, translation in (
            ("doi-retraction", "the cited work has been retracted", "文献已撤稿"),
            ("doi-removal", "the cited work has been removed or withdrawn", "文献已移除"),
            ("doi-concern", "the cited work is the subject of an expression of concern", "文献有关注声明"),
        )
        for outcome in get_args(Outcome)
    ),
    Code("doi", "passed", "arxiv-ok", "the record of the cited arXiv id is this work", "record"),
    Code("doi", "passed", "arxiv-retitled", "an earlier version of the cited arXiv paper has the cited title", "record"),
    Code("doi", "unverifiable", "arxiv-retitled", "the latest version of the cited arXiv paper has a different title",
         "", "该 arXiv 编号的最新版本标题不同"),
    Code("doi", "failed", "arxiv-malformed", "the cited arXiv id is malformed", "entry", "arXiv 编号格式错误"),
    Code("doi", "failed", "arxiv-unknown", "arXiv has no such id", "registry", "该 arXiv 编号不存在"),
    Code("doi", "failed", "arxiv-other-work", "the cited arXiv id belongs to a different work",
         "record", "该 arXiv 编号属于另一文献"),
    Code("doi", "failed", "arxiv-other-number", "records of the work have a different arXiv id, and no record has the cited one",
         "record", "该文献的记录载有另一 arXiv 编号"),
    Code("doi", "failed", "arxiv-beyond-month", "no record has the arXiv id, and its number is higher than any of that month",
         "form of the identifier", "该 arXiv 编号超出该月的范围"),
    Code("doi", "unverifiable", "arxiv-registered", "the cited arXiv id exists, but no source has its metadata",
         "", "该 arXiv 编号已注册,但无元数据可供比较"),
    Code("doi", "unverifiable", "arxiv-unclear", "the record of the cited arXiv id has too little metadata to compare",
         "", "该 arXiv 编号的记录不足以比较"),
    Code("doi", "passed", "rfc-ok", "the record of the cited RFC is this work", "record"),
    Code("doi", "failed", "rfc-other-work", "the cited RFC number belongs to a different work", "record",
         "该 RFC 编号属于另一文献"),
    Code("doi", "failed", "rfc-unknown", "the RFC Editor has published no RFC with this number", "registry", "该 RFC 编号不存在"),
    Code("doi", "unverifiable", "rfc-unclear", "the cited RFC has a different title; the citation may use a short form",
         "", "该 RFC 的标题不同,可能为简称"),
    Code("doi", "passed", "w3c-ok", "the record of the cited W3C report is this work", "record"),
    Code("doi", "failed", "w3c-other-work", "the cited address belongs to a different W3C report", "record",
         "该地址属于另一份 W3C 文件"),
    Code("doi", "unverifiable", "w3c-unclear", "the cited W3C report has a different title; the citation may use a short form",
         "", "该 W3C 文件的标题不同,可能为简称"),
    Code("doi", "passed", "package-ok", "the cited package exists", "registry"),
    Code("doi", "failed", "package-unknown", "neither the cited package index nor its archive has this package",
         "registry", "该软件包不存在"),
    Code("doi", "unverifiable", "package-gone", "the cited package index does not list this package; it may have been deleted",
         "", "未查得该软件包,可能已被删除", "warning"),
    Code("doi", "passed", "repository-ok", "the cited repository exists", "registry"),
    Code("doi", "unverifiable", "repository-gone",
         "the cited repository does not exist; it may have been deleted or made private",
         "", "未查得该代码库,可能已被删除或设为私有", "warning"),
    # title
    Code("title", "passed", "title-ok", "a record of the work has this title", "record"),
    Code("title", "passed", "title-leftovers", "the title contains export artefacts, such as “&amp;”", "record",
         stated="info"),
    Code("title", "passed", "title-function-word", "one record has a different article or preposition", "record"),
    Code("title", "failed", "title-misspelt", "the title has a misspelled word that no record has", "record", "标题拼写有误"),
    Code("title", "failed", "title-near-miss", "the work has a slightly different title", "record", "标题与实际略有出入"),
    Code("title", "failed", "title-other", "the cited identifier leads to a work by these authors with a different title",
         "record", "标识符所指文献的标题不同"),
    Code("title", "failed", "title-not-in-venue", "a complete list of the cited venue and year does not contain this title",
         "complete list", "所引出处和年份中没有该文献"),
    Code("title", "failed", "title-not-listed",
         "a list of the cited venue and year, which has most works, does not contain this title",
         "complete list", "所引出处和年份几近完整的目录中没有该文献"),
    Code("title", "failed", "title-not-found", "a complete list does not contain this title",
         "complete list", "应收录该文献的完整目录中没有此标题"),
    Code("title", "failed", "title-unfindable",
         "no source queried has the work, and most references like this are invented", "coverage of the sources",
         "各数据源均无该文献,且此类文献多为虚构"),
    Code("title", "unverifiable", "title-unfindable",
         "no source queried has the work, although these sources have nearly all works of this kind", "",
         "各数据源均无该文献,而真实文献几乎不会被遗漏", "warning"),
    Code("title", "unverifiable", "title-version", "an earlier version may have had this title",
         "", "较早版本可能用过所引标题"),
    Code("title", "failed", "title-namesake", "only a work by other people has this title", "record", "仅有他人的文献使用此标题"),
    Code("title", "failed", "title-published", "the work is published under a slightly different title", "several records",
         "正式发表的标题略有不同"),
    Code("title", "failed", "title-similar",
         "the only work by these authors in the cited venue and year has a similar title", "record",
         "仅查得标题相近的文献"),
    Code("title", "unverifiable", "title-variant", "one record has the title with a different spelling, number or length", "",
         "标题写法略有不同"),
    Code("title", "failed", "title-mixed",
         "these authors have a work in the cited venue and year that shares part of the title", "record",
         "标题与这些作者的另一文献部分相同"),
    Code("title", "failed", "title-subtitle", "no record of the work has the cited subtitle", "several records",
         "没有记录含有所引副标题"),
    Code("title", "unverifiable", "title-translated", "the title may be a translation",
         "", "标题可能是另一种语言的译名"),
    Code("title", "unverifiable", "title-missing", "no title is cited", "", "未引用标题"),
    # authors
    Code("authors", "passed", "authors-ok", "a record of the work has these authors", "record"),
    Code("authors", "failed", "authors-truncated", "authors are missing without “and others”",
         "record", "缺少部分作者且未注明"),
    Code("authors", "failed", "authors-left-out",
         "a few authors of a list, or all after the first ones, are missing without “and others”",
         "record", "缺少少数作者且未注明", "warning"),
    Code("authors", "failed", "authors-run-together", "a separator is damaged, so that two authors are printed as one",
         "record", "作者之间的分隔符有误"),
    Code("authors", "failed", "authors-repeated", "an author is cited twice", "record", "同一作者重复出现"),
    Code("authors", "failed", "authors-not-first", "“and others” follows people who are not the first authors",
         "several records", "“等”之前并非前几位作者"),
    Code("authors", "failed", "authors-exchanged", "given and family name are exchanged", "several records", "姓与名颠倒"),
    Code("authors", "failed", "authors-added", "a cited person is not an author", "several records", "多出作者"),
    Code("authors", "failed", "authors-reordered", "the authors are cited in a different order", "several records",
         "作者顺序不同"),
    Code("authors", "failed", "authors-given-name", "a given name differs", "record", "作者名字有误"),
    Code("authors", "failed", "authors-misspelled", "a name is misspelled", "several records", "作者姓名拼写有误"),
    Code("authors", "failed", "authors-partly-other", "some of the cited people are not the authors",
         "record", "部分作者并非该文献作者"),
    Code("authors", "failed", "authors-other", "the cited people are not the authors", "record", "作者并非该文献作者"),
    Code("authors", "unverifiable", "authors-unclear", "the records are not sufficient to check the authors",
         "", "作者与记录不符,但证据不足"),
    Code("authors", "failed", "authors-renamed",
         "one given name differs and everything else agrees; the author may have changed names",
         "record", "一位作者的名字与记录不同,可能为曾用名"),
    Code("authors", "unverifiable", "authors-missing", "no author or editor is cited", "", "未引用作者或编者"),
    # venue
    Code("venue", "passed", "venue-ok", "a record of the work has this venue", "record"),
    Code("venue", "passed", "venue-workshop", "a workshop paper is cited as a paper of the main conference", "record",
         stated="warning"),
    Code("venue", "passed", "venue-preprint-published", "cited as a preprint, since published", "record"),
    Code("venue", "failed", "venue-other", "the work appeared in a different venue", "several records", "文献发表于他处"),
    Code("venue", "failed", "venue-doi", "the cited DOI has the form of a different venue, and the records agree with the DOI",
         "form of the identifier", "所引 DOI "
                                   "属于另一会议或期刊"),
    Code("venue", "failed", "venue-preprint-only",
         "a complete list of the cited venue does not contain this work; only a preprint is known",
         "complete list", "文献仅有预印本"),
    Code("venue", "unverifiable", "venue-preprint-only", "only a preprint of the work is known", "", "仅查得预印本"),
    Code("venue", "failed", "venue-elsewhere", "records place the work elsewhere, and no source covers the cited venue",
         "several records", "记录显示文献发表于他处"),
    Code("venue", "unverifiable", "venue-version", "the work appeared elsewhere; the cited venue may have another version",
         "", "文献发表于他处,所引可能是另一版本"),
    Code("venue", "failed", "venue-main", "a paper of the main conference is cited as a workshop paper", "several records",
         "会议正文论文被引为研讨会论文"),
    Code("venue", "unverifiable", "venue-unclear", "the cited venue and the venue of the record may be the same",
         "", "无法确定两个出处是否相同"),
    Code("venue", "unverifiable", "venue-unknown", "no record names the cited publisher or school",
         "", "没有记录提到所引出版者"),
    Code("venue", "unverifiable", "venue-preprint-unknown", "cited as a preprint, known only as published",
         "", "所引为预印本,但仅查得正式发表的版本"),
    Code("venue", "passed", "place-ok", "a record of the work has the cited volume and pages", "record"),
    Code("venue", "failed", "volume-other", "the work is in a different volume of the cited journal", "record", "卷号与记录不符"),
    Code("venue", "passed", "volume-other", "the work may be in a different volume of the cited journal", "record",
         stated="info"),
    Code("venue", "failed", "pages-other", "the work is on different pages of the cited volume", "record", "页码与记录不符"),
    Code("venue", "passed", "pages-other", "the work may be on different pages of the cited volume", "record", stated="info"),
    Code("venue", "failed", "place-other-work", "a different work is on the cited pages, and no work has the cited title",
         "record", "所引卷期页码属于另一文献"),
    Code("venue", "failed", "not-in-volume",
         "the cited volume is listed completely, ends before the cited page, and has no work with this title",
         "complete list", "所引卷中没有该文献"),
    Code("venue", "unverifiable", "venue-missing", "no venue is cited", "", "未引用出处"),
    # completeness
    Code("completeness", "passed", "complete", "the entry has all fields that its type requires", "entry"),
    Code("completeness", "passed", "field-advised", "a field that the style requires is missing; the work can still be found",
         "entry", stated="info"),
    Code("completeness", "passed", "issn-in-isbn", "the field for ISBNs contains an ISSN",
         "entry", stated="info"),
    Code("completeness", "passed", "eprint-generated", "a reference manager wrote a value that is no arXiv id of this work",
         "entry", stated="info"),
    Code("completeness", "failed", "field-missing", "a required field is missing, so the work cannot be printed or found",
         "entry", "缺少必需字段"),
    Code("completeness", "failed", "year-malformed", "the year does not have four digits", "entry", "年份格式错误"),
    Code("completeness", "failed", "year-future", "the year is in the future", "entry", "年份尚未到来"),
    Code("completeness", "failed", "year-implausible", "the year is before the first printed book", "entry", "年份不合理"),
    Code("completeness", "failed", "placeholder", "a value is a placeholder", "entry", "占位内容", "warning"),
    Code("completeness", "failed", "name-numbered", "a name ends in a number that DBLP adds for namesakes", "entry",
         "姓名带有数据库编号"),
    Code("completeness", "failed", "isbn-invalid", "the number is not a valid ISBN", "entry", "ISBN 无效", "warning"),
    Code("completeness", "failed", "issn-invalid", "the number is not a valid ISSN", "entry", "ISSN 无效", "warning"),
    Code("completeness", "failed", "url-gone", "the cited web page is gone", "web server", "网址已失效"),
    # cross_db
    Code("cross_db", "passed", "agree", "independent sources agree with the citation", "several records"),
    Code("cross_db", "passed", "agree-registry", "the record of the cited identifier agrees with the citation", "record"),
    Code("cross_db", "passed", "year-submission", "the year is the submission year of the paper, not the conference year",
         "several records", stated="warning"),
    Code("cross_db", "failed", "year-other", "no record of the work has the cited year", "several records", "年份与记录不符"),
    Code("cross_db", "failed", "year-mixed", "the cited proceedings and the cited year belong to different versions",
         "several records", "会议与年份分属不同版本"),
    Code("cross_db", "failed", "year-doi", "the cited DOI has the form of a different year, and the records agree with the DOI",
         "form of the identifier", "所引 DOI 属于另一年份"),
    Code("cross_db", "failed", "year-preprint", "the cited preprint is from a later year",
         "form of the identifier", "所引预印本晚于所引年份"),
    Code("cross_db", "unverifiable", "year-preprint", "the cited preprint is from a later year; it may belong to an older work",
         "", "所引文献可能早于其预印本"),
    Code("cross_db", "passed", "year-printed", "the year is the print year of the volume", "several records",
         stated="info"),
    Code("cross_db", "unverifiable", "year-unclear", "the records have a different year, which may belong to another version",
         "", "年份与记录不符,但可能有另一版本"),
    Code("cross_db", "unverifiable", "single-source", "only one source has the work", "", "没有第二个独立来源收录该文献"),
    Code("cross_db", "unverifiable", "sources-disagree", "sources disagree about the authors", "", "各来源的作者不一致"),
    Code("cross_db", "unverifiable", "other-authors", "the records have different authors", "", "查得的作者与所引不同"),
    Code("cross_db", "unverifiable", "other-title", "the sources have the work under a different title", "",
         "该文献在来源中的标题不同"),
    # syntax
    Code("syntax", "passed", "syntax-ok", "the entry is well-formed", "entry"),
    Code("syntax", "failed", "unreadable-entry", "the entry cannot be read", "entry", "条目无法读取"),
    Code("syntax", "failed", "unclosed-entry", "the closing delimiter of the entry is missing",
         "entry", "条目没有结束"),
    Code("syntax", "failed", "mismatched-delimiter", "the entry is closed with the wrong delimiter",
         "entry", "条目的开始与结束括号不一致"),
    Code("syntax", "failed", "missing-type", "the entry has no type", "entry", "条目没有类型"),
    Code("syntax", "failed", "missing-key", "the entry has no key", "entry", "条目没有引用键"),
    Code("syntax", "failed", "malformed-key", "the key contains braces or quotation marks",
         "entry", "引用键的写法有误"),
    Code("syntax", "failed", "duplicate-key", "another entry has the same key", "entry", "引用键重复"),
    Code("syntax", "failed", "duplicate-field", "a field is stated twice", "entry", "字段重复"),
    Code("syntax", "failed", "blank-in-field-name", "the name of a field contains a blank", "entry", "字段名中有空格"),
    Code("syntax", "failed", "missing-comma", "a comma is missing", "entry", "缺少逗号"),
    Code("syntax", "failed", "double-comma", "two commas follow each other", "entry", "多余的逗号"),
    Code("syntax", "failed", "missing-equals", "an equals sign is missing", "entry", "缺少等号"),
    Code("syntax", "failed", "double-equals", "two equals signs follow each other", "entry", "多余的等号"),
    Code("syntax", "failed", "missing-value", "a field has no value", "entry", "字段没有值"),
    Code("syntax", "failed", "unquoted-value", "a value has no delimiters", "entry", "值没有加引号"),
    Code("syntax", "failed", "unclosed-value", "the closing delimiter of a value is missing", "entry", "值没有结束"),
    Code("syntax", "failed", "unopened-value", "the opening brace of a value is missing", "entry", "值没有开始括号"),
    Code("syntax", "failed", "quote-in-value", "a quoted value contains a quotation mark", "entry", "值中有引号"),
    Code("syntax", "failed", "unbalanced-braces", "the braces of a value do not balance", "entry", "花括号不配对"),
    Code("syntax", "failed", "extra-brace", "the entry has a brace too many", "entry", "多余的花括号"),
    Code("syntax", "failed", "stray-text", "the entry contains text that belongs to no field",
         "entry", "条目中有不属于任何字段的文字"),
    Code("syntax", "failed", "comment-in-entry", "the entry contains a comment", "entry", "条目中有注释"),
    Code("syntax", "failed", "git-conflict-marker", "the entry contains conflict markers of git",
         "entry", "条目中有 git 的冲突标记"),
    Code("syntax", "failed", "name-separators", "something else than “and” separates the names",
         "entry", "人名之间不是用“and”分隔", stated="warning"),
    Code("syntax", "failed", "undefined-macro", "a macro is not defined", "entry", "宏没有定义"),
    Code("syntax", "failed", "nul-byte", "the entry contains NUL characters", "entry", "条目中有 NUL 字符"),
    Code("syntax", "failed", "overlong-field", "a field is longer than any real one and was cut",
         "entry", "字段过长,已被截断"),
    Code("syntax", "failed", "macro-overflow", "macros make a value longer than any real one",
         "entry", "宏展开后的值过长"),
    Code("syntax", "failed", "inheritance-overflow", "entries inherit from each other without end",
         "entry", "条目之间无限继承"),
    Code("syntax", "failed", "crossref-missing", "the entry that crossref names does not exist",
         "entry", "crossref 所指的条目不存在"),
    Code("syntax", "failed", "crossref-cycle", "crossref leads back to the entry", "entry", "crossref 形成循环"),
    Code("syntax", "failed", "xdata-missing", "the entry that xdata names does not exist",
         "entry", "xdata 所指的条目不存在"),
    Code("syntax", "failed", "xdata-cycle", "xdata leads back to the entry", "entry", "xdata 形成循环"),
    Code("syntax", "failed", "entryset-missing", "a member of the set does not exist",
         "entry", "条目集的成员不存在"),
    Code("syntax", "failed", "missing-entry", "a document cites a key that no bibliography has",
         "entry", "正文引用的键在参考文献库中不存在"),
    Code("syntax", "failed", "unreadable-document", "no reference of a submission can be read",
         "entry", "无法读取该稿件的参考文献"),
    Code("syntax", "failed", "unread-item", "an item of a list is not read as a reference",
         "entry", "列表中的一项无法读作参考文献"),
    Code("syntax", "failed", "uncited-reference", "the text never cites one of its numbered references",
         "entry", "正文从未引用该文献", stated="warning"),
    Code("syntax", "failed", "missing-reference", "a text cites a number that has no reference",
         "entry", "正文引用的编号没有对应的文献", stated="warning"),
    Code("syntax", "failed", "answer-missing", "a model gave no answer: the call failed",
         "entry", "模型没有给出回答:调用失败"),
    Code("syntax", "failed", "answer-not-asked", "a model has not been queried yet", "entry", "尚未向模型提问"),
    Code("syntax", "failed", "answer-empty", "the answer of a model contains no reference",
         "entry", "模型的回答中没有参考文献"),
    Code("syntax", "failed", "answer-unread", "an answer seems to cite works, but contains no readable reference",
         "entry", "模型的回答似乎引用了文献,但无法读取"),
    Code("syntax", "failed", "answer-invalid", "a line is not an answer", "entry", "该行不是有效的回答"),
    # duplicates
    Code("duplicates", "passed", "duplicates-none", "no entries contradict each other", "entry"),
    Code("duplicates", "failed", "duplicate-work", "two entries cite the same work", "entry", "两个条目引用同一文献"),
    Code("duplicates", "failed", "key-of-two-works", "one key names two works", "entry", "同一引用键对应两篇文献"),
    Code("duplicates", "failed", "conflicting-entries", "two files describe the work of a key differently",
         "entry", "同一引用键在两个文件中的描述不一致"),
    Code("duplicates", "unverifiable", "duplicate-version", "two entries cite a preprint and its publication",
         "", "两个条目分别引用同一文献的预印本和正式版本"),
)  # fmt: skip

CHECKS: Final = tuple(dict.fromkeys(row.check for row in TABLE if row.check not in ("any", "syntax", "duplicates")))
"""The names of the checks in the order of the table, in which their items are collected."""

ADVICE: Final = frozenset({"completeness"})
"""Checks whose findings are about the entry alone: they do not decide the verdict."""

_INVENTED: Final = frozenset({
    "doi-other-work", "arxiv-other-work", "number-other-work", "rfc-other-work", "w3c-other-work", "title-other",
    "title-not-in-venue", "title-not-listed", "title-not-found", "title-unfindable",
    "authors-other", "place-other-work", "not-in-volume",
})  # fmt: skip
_SLIPS: Final = frozenset({
    "doi-malformed", "doi-other-version", "arxiv-malformed", "title-near-miss", "title-misspelt", "title-similar",
    "title-published", "title-mixed", "title-subtitle", "authors-truncated", "authors-left-out",
    "authors-run-together", "authors-misspelled", "authors-repeated", "authors-exchanged", "name-numbered",
    "volume-other", "pages-other",
    "year-mixed", "year-preprint", "year-malformed", "isbn-invalid", "issn-invalid", "url-gone",
})  # fmt: skip

_OF_SYNTAX: Final = frozenset(row.name for row in TABLE if row.check == "syntax") - {"unreadable-entry"}

CODES: Final[Mapping[str, str]] = MappingProxyType({row.name: row.sentence for row in reversed(TABLE)})
"""Meaning of each finding code (the first row wins)."""
_TRANSLATIONS: Final = {(row.outcome, row.name): row.translation for row in TABLE if row.translation}
SHARED_CODES: Final = frozenset(row.name for row in TABLE if row.check == "any")
"""Codes of any check, for references that could not be looked up."""

_SEVERITIES: Final = MappingProxyType({(row.outcome, row.name): row.severity for row in TABLE})

OF_THE_WORK: Final = frozenset({"doi-retraction", "doi-removal", "doi-concern"})
"""Codes for notices on the cited work, which say nothing about the citation."""


def default_severity(outcome: Outcome, code: str) -> Severity:
    """Return the default severity of a finding; codes from hooks get the severity of their outcome."""
    return _SEVERITIES.get((outcome, code), _BY_OUTCOME[outcome])


def translation(outcome: Outcome, code: str) -> str:
    """Return the meaning of a code in Chinese; empty without one. Warnings have that of the error."""
    return _TRANSLATIONS.get((outcome, code)) or _TRANSLATIONS.get(("failed", code), "")


def earned_severity(finding: Finding, code: str) -> Severity:
    """Return the severity of one code of a finding without a policy: its level, or the one of the table of codes."""
    return finding.level or default_severity(finding.outcome, code)


def harm_of(code: str) -> Harm:
    """Return the harm of a failed finding with this code."""
    if code in _INVENTED:
        return "invented"
    return "slip" if code in _SLIPS or code in _OF_SYNTAX else "misleading"
