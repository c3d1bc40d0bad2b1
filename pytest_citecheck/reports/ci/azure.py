"""Issues of Azure Pipelines ("Logging commands", ``task.logissue``). Text from outside is escaped: no part of it is a command."""

from __future__ import annotations

from collections.abc import Iterator

from pytest_citecheck.reports.ci.problems import Findings, worst_first

__all__ = ["azure_lines"]


def azure_lines(findings: Findings) -> Iterator[str]:
    """One ``##vso[task.logissue …]`` line for each error and warning, the worst first; then the coverage."""
    for one in worst_first(findings.problems):
        if one.level != "info" and not one.waived:
            properties = {
                "type": one.level,
                "sourcepath": one.path,
                "linenumber": str(one.line),
                "columnnumber": str(one.column),
                "code": one.code,
            }
            stated = ";".join(f"{name}={_property(value)}" for name, value in properties.items())
            yield f"##vso[task.logissue {stated}]{_data(f'{one.key}: {one.sentence}')}\n"
    if coverage := findings.coverage:
        # Azure has errors and warnings only; any other text is a heading of the log.
        command = (
            "##[section]" if coverage.level == "info" else f"##vso[task.logissue type={coverage.level};code=coverage]"
        )
        yield f"{command}citecheck: {_data(coverage.sentence)}\n"


def _data(text: str) -> str:
    """Text of a command, escaped as the agent does it (microsoft/azure-pipelines-task-lib, ``taskcommand.ts``)."""
    return text.replace("%", "%AZP25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace("]", "%5D").replace(";", "%3B")
