"""The `properties` of a fetch: the parts of an element that it returns (contract D8)."""

from collections.abc import Iterable, Sequence
from functools import lru_cache, partial
from typing import Any, TypeAlias

import orjson

from dimensions_site.api.errors import Failure
from dimensions_site.api.json.texts import json_text
from dimensions_site.elements.declaration.wire import ObjectNode, Place, Wire
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.rendering import (
    Renderer,
    TemplatePlan,
    TemplateSlot,
    entry_slot,
    json_slot,
    plan_of,
)

PARAMETER = "properties"
# As many as an account has leaves, and room for languages; each unknown name costs a search for similar names.
MAX_PROPERTIES = 200
# Clients choose the properties.
_KEPT_RENDERERS = 100
WHOLE_MAP = "*"
# Returned for both dimensions, though only currencies have it in their lists.
DEFAULT_DESCRIPTION = "description"
DESCRIPTIONS = "descriptions"

# The selected members and what is selected of each; an empty object means the whole member.
Selected: TypeAlias = dict[str, "Selected"]


def select(wire: Wire, properties: str | None) -> tuple[list[str], list[Failure]]:
    """Return the canonical paths for the comma-separated paths in `properties`, and the errors in them."""
    if not properties:
        state = "missing" if properties is None else "empty"
        return [], [_failure("REQUIRED", f"properties is {state}; write for example properties=id,description.")]
    names = [_name(wire, text.lstrip()) for text in properties.split(",")]
    if len(names) > MAX_PROPERTIES:
        message = f"properties names {len(names):,} fields; the limit is {MAX_PROPERTIES}."
        return [], [_failure("TOO_MANY", message)]
    paths = [wire.canonical_path(name) for name in names]
    failures = [
        _failure("UNKNOWN_FIELD", _refusal(wire, name))
        for name, path in zip(names, paths, strict=True)
        if not _is_known(wire, path)
    ]
    if DESCRIPTIONS in paths and any(path.startswith(f"{DESCRIPTIONS}.") for path in paths):
        failures.append(
            _failure(
                "CONFLICTING_PROPERTIES",
                "properties must not name both descriptions (one text) and descriptions.<language> (an object).",
            )
        )
    return ([] if failures else paths), failures


def _name(wire: Wire, text: str) -> str:
    """Return the name without the blanks behind it, unless they belong to the key of an entry."""
    entry = wire.find_entry(wire.canonical_path(text))
    return text.rstrip() if entry is None or entry[1].rstrip() == WHOLE_MAP else text


def everything(wire: Wire) -> list[str]:
    """Return the canonical paths that together select everything stored of an element."""
    places = wire.root.members
    return [
        f"{name}.{WHOLE_MAP}" if isinstance(member, Place) and member.is_map else name
        for name, member in places.items()
        if not (isinstance(member, Place) and member.is_default_description)
    ]


@lru_cache(_KEPT_RENDERERS)
def selected_renderer(dimension: Dimension, paths: Sequence[str], language: str) -> Renderer:
    """Return the renderer of the known canonical `paths`, as `selected_plan` has them."""
    return Renderer(selected_plan(dimension.wire, paths, language))


def selected_plan(wire: Wire, paths: Iterable[str], language: str, *, as_stored: bool = False) -> TemplatePlan:
    """Return the plan for the known canonical `paths` as a fetch returns them (contract D8).

    `language` is the repository's default language, in which `description` and `descriptions` are returned. With
    `as_stored`, a map has only those of the selected entries that are stored, so that importing them adds none.
    """
    selected: Selected = {}
    for path in paths:
        _add(selected, _segments(wire, path))
    return _plan(wire.root, selected, language, as_stored=as_stored)


def _failure(code: str, message: str) -> Failure:
    return Failure(PARAMETER, code, message)


def _refusal(wire: Wire, name: str) -> str:
    if not name:
        return "properties has an empty name between its commas."
    if name == WHOLE_MAP:
        return "Unknown field '*'. For all fields, use elements."
    return wire.refusal(name) + (" Separate names by commas." if set(" ;").intersection(name) else "")


def _is_known(wire: Wire, path: str) -> bool:
    if path == DEFAULT_DESCRIPTION or wire.find(path) is not None or wire.find_entry(path) is not None:
        return True
    entry = wire.split_entry(path)
    return entry is not None and entry[1] == WHOLE_MAP


def _segments(wire: Wire, path: str) -> list[str]:
    """Return the members of a known `path`; the key of a map may contain dots."""
    entry = wire.split_entry(path)
    return path.split(".") if entry is None else [entry[0].path, entry[1]]


def _add(selected: Selected, segments: list[str]) -> None:
    head, *rest = segments
    if not rest:
        selected[head] = {}
    elif head not in selected:
        _add(selected.setdefault(head, {}), rest)
    elif selected[head]:
        _add(selected[head], rest)


def _plan(node: ObjectNode, selected: Selected, language: str, *, as_stored: bool) -> TemplatePlan:
    plan: TemplatePlan = {}
    for name, inner in selected.items():
        if name == DEFAULT_DESCRIPTION and node.path == "":
            plan[name] = entry_slot(DESCRIPTIONS, language)
            continue
        member = node.members[name]
        if isinstance(member, Place) and member.is_map:
            plan[name] = _map_plan(member, inner, language, as_stored=as_stored)
        elif isinstance(member, ObjectNode) and inner:
            plan[name] = (
                _plan(member, inner, language, as_stored=as_stored)
                if member.column is None
                else json_slot(member.column, partial(_projected, inner))
            )
        else:
            plan[name] = plan_of(member, language)
    return plan


def _map_plan(place: Place, keys: Selected, language: str, *, as_stored: bool) -> TemplateSlot | TemplatePlan:
    if not keys and place.path == DESCRIPTIONS and not as_stored:
        return entry_slot(place.column, language)
    if not keys or WHOLE_MAP in keys:
        return json_slot(place.column)
    if as_stored:
        return json_slot(place.column, partial(_projected, keys))
    return {key: entry_slot(place.column, key) for key in keys}


def _projected(selected: Selected, text: str) -> str:
    return json_text(_project(orjson.loads(text), selected))


def _project(value: Any, selected: Selected) -> Any:
    if not selected or value is None:
        return value
    return {name: _project(value[name], inner) for name, inner in selected.items() if name in value}
