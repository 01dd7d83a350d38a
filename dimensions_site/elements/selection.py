"""The `properties` of a fetch: the parts of an element that are answered (contract D8)."""

from typing import Any, TypeAlias

import orjson

from dimensions_site.api.errors import Failure, shortened
from dimensions_site.elements.rendering import Plan, entry_slot, json_slot, plan_of
from dimensions_site.elements.wire import Node, Place, Wire

PARAMETER = "properties"
# As many as an account has leaves, and room for languages; each unknown name costs a search for similar ones.
MAX_PROPERTIES = 200
_WHOLE_MAP = "*"
# Answered for both dimensions, though only currencies have it in their lists.
_DEFAULT_DESCRIPTION = "description"

# The selected members and what is selected of each; nothing means the whole member.
Selected: TypeAlias = dict[str, "Selected"]


def select(wire: Wire, properties: str | None, language: str) -> tuple[Plan, list[Failure]]:
    """The plan for the comma-separated wire paths in `properties`, and what is wrong with them.

    `language` is the default language of the repository, in which `description` and `descriptions` answer.
    """
    if not properties:
        return {}, [_failure("REQUIRED", "Name the fields to answer, for example properties=id,description.")]
    selected: Selected = {}
    failures: list[Failure] = []
    names = [name.strip() for name in properties.split(",")]
    if len(names) > MAX_PROPERTIES:
        message = f"properties names {len(names):,} fields; at most {MAX_PROPERTIES} are accepted."
        return {}, [_failure("TOO_MANY", message)]
    for name in names:
        segments = _segments(wire, name)
        if segments is None:
            failures.append(_failure("UNKNOWN_FIELD", unknown_field(wire, name)))
        else:
            _add(selected, segments)
    if "descriptions" in names and any(name.startswith("descriptions.") for name in names):
        failures.append(
            _failure(
                "CONFLICTING_PROPERTIES",
                "descriptions answers one text and descriptions.<language> an object; ask for one of them.",
            )
        )
    return ({} if failures else _plan(wire.root, selected, language)), failures


def unknown_field(wire: Wire, name: str) -> str:
    """The message for a `name` that is no field, with the known ones that look like it."""
    hint = " or ".join(wire.similar(name))
    return f"There is no field '{shortened(name)}'.{f' Did you mean {hint}?' if hint else ''}"


def _failure(code: str, message: str) -> Failure:
    return Failure(PARAMETER, code, message)


def _segments(wire: Wire, name: str) -> list[str] | None:
    """The path of `name` member by member, or None when there is no such field."""
    path = wire.canonical_path(name)
    if path == _DEFAULT_DESCRIPTION or wire.find(path) is not None:
        return path.split(".")
    group, _, key = path.partition(".")
    place = wire.places.get(group)
    is_whole_map = place is not None and place.is_map and key == _WHOLE_MAP
    return [group, key] if is_whole_map or wire.find_entry(path) is not None else None


def _add(selected: Selected, segments: list[str]) -> None:
    head, *rest = segments
    if not rest:
        selected[head] = {}
    elif head not in selected:
        _add(selected.setdefault(head, {}), rest)
    elif selected[head]:
        _add(selected[head], rest)


def _plan(node: Node, selected: Selected, language: str) -> Plan:
    plan: Plan = {}
    for name, inner in selected.items():
        if name == _DEFAULT_DESCRIPTION and node.path == "":
            plan[name] = entry_slot("descriptions", language)
            continue
        member = node.members[name]
        if isinstance(member, Place) and member.is_map:
            plan[name] = _map_plan(member, inner, language)
        elif isinstance(member, Node) and inner:
            plan[name] = (
                _plan(member, inner, language)
                if member.column is None
                else json_slot(member.column, _Projection(inner))
            )
        else:
            plan[name] = plan_of(member, language)
    return plan


def _map_plan(place: Place, keys: Selected, language: str) -> Any:
    if not keys and place.path == "descriptions":
        return entry_slot(place.column, language)
    if not keys or _WHOLE_MAP in keys:
        return json_slot(place.column)
    return {key: entry_slot(place.column, key) for key in keys}


class _Projection:
    """Keeps only what is selected of the JSON text of a bundle; null stays null."""

    def __init__(self, selected: Selected) -> None:
        self._selected = selected

    def __call__(self, text: str) -> str:
        return orjson.dumps(_project(orjson.loads(text), self._selected)).decode()


def _project(value: Any, selected: Selected) -> Any:
    if not selected or value is None:
        return value
    return {name: _project(value[name], inner) for name, inner in selected.items()}
