"""SQL keeps the layers of Python: a subject names its own objects and those of lower subjects.

Objects are functions, types, views and tables. The order is that of import-linter in
`pyproject.toml`. SQL that Python builds (selectors, proofs) is not read.
"""

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

from django.apps import apps

from exchange.core.sqlfiles import sql_apps

CHECKOUT = Path(__file__).resolve().parent.parent.parent
_CREATED = re.compile(r"CREATE (?:FUNCTION|TYPE|VIEW) (?:public\.)?(\w+)")
_COMMENT = re.compile(r"--.*")


def ranks() -> dict[str, int]:
    """Return each app (`wallets`) and subject (`wallets.ledger`) with its place, lowest first."""
    settings = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())
    found = {}
    for contract in settings["tool"]["importlinter"]["contracts"]:
        containers = contract.get("containers", [""])
        if contract["type"] == "layers" and len(containers) == 1:
            for rank, layer in enumerate(reversed(contract["layers"])):
                for name in layer.split(" | "):
                    found[f"{containers[0]}.{name}".removeprefix(".")] = rank
    return found


def subject_of(module: str) -> str:
    return ".".join(module.split(".")[:2])


def sources() -> Iterator[tuple[str, str, str]]:
    """Return the subject, place and text of all SQL that the project installs."""
    for config in sql_apps():
        for path in config.sql_files:
            place = str(path.relative_to(CHECKOUT))
            yield f"{config.name}.{path.parts[-3]}", place, _COMMENT.sub("", path.read_text())
        for command in config.command_types():
            subject = subject_of(command.__module__)
            yield subject, f"type {command.sql_type}", command.type_sql()
            if command.function:
                yield subject, f"function {command.function}", command.function_sql()
        declared = zip(config.stored_documents, config.documents(), strict=True)
        for name, document in declared:
            yield f"{config.name}.{name.split('.')[0]}", f"document {name}", document.trigger_sql()


def owners() -> dict[str, str]:
    """Return the subject of each table, function, type and view."""
    found = {
        model._meta.db_table: subject_of(model.__module__)
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy
    }
    for subject, _, text in sources():
        found |= dict.fromkeys(_CREATED.findall(text), subject)
    return found


def test_sql_names_only_what_is_below() -> None:
    rank, owner = ranks(), owners()
    named = sorted(
        (subject, owner[word], place, word)
        for subject, place, text in sources()
        for word in set(re.findall(r"\w+", text)) & owner.keys()
        if owner[word] != subject and owner[word] in rank  # tables of libraries have no place
    )
    assert len({arrow[:2] for arrow in named}) > 60

    def is_below(target: str, subject: str) -> bool:
        app, other = subject.split(".")[0], target.split(".")[0]
        if app == other:
            return rank[target] < rank[subject]
        return rank[other] < rank[app]

    assert [
        f"{place} names {word} of {target}"
        for subject, target, place, word in named
        if not is_below(target, subject)
    ] == []
