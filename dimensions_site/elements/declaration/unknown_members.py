"""The errors for a member that an object does not have, and for another value in place of an object (contract C5)."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from functools import partial

from django.utils.translation import gettext as _
from rest_framework.exceptions import ErrorDetail

from dimensions_site.api.failures import wire_path
from dimensions_site.api.json.texts import described_value
from dimensions_site.elements.declaration.labels import switched_on
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import (
    MAX_LENGTH,
    MAX_SUGGESTIONS,
    close_names,
    did_you_mean,
    same_names,
    unknown_field,
)

# The paths of the objects that have a member of this name; the whole element has the empty path.
Homes = Mapping[str, tuple[str, ...]]

_names_docs: ContextVar[bool] = ContextVar("docs_in_messages", default=False)
# Makes messages about unknown fields name the address of all fields, for clients of REST.
docs_in_messages = partial(switched_on, _names_docs)


def not_an_object(name: str, value: object) -> ErrorDetail:
    """Return the error at `name`, which has another JSON value where an object is expected."""
    message = _("{name} must be an object, not {value}.").format(name=name, value=described_value(value))
    return ErrorDetail(message, code="invalid")


def unknown_member(
    name: str, group: str, members: tuple[str, ...], homes: Homes, spellings: tuple[str, ...] = ()
) -> list[ErrorDetail]:
    """Return the error at the member `name` of the object at the path `group`, which has only the `members`.

    It suggests the nearest member, one of the alternative `spellings`, or the objects that have a member of this name.
    """
    path = wire_path(group, name)
    is_dotted = "." in name and len(path) <= MAX_LENGTH
    if is_dotted and any(f"{path}.".startswith(f"{spelling}.") for spelling in spellings):
        advice = did_you_mean([_nested(name)], in_quotes=False)
    else:
        advice = did_you_mean(same_names(path, spellings)) or _advice(name, group, members, homes)
    message = unknown_field(wire_path(group, shortened(name))) + (advice or all_fields())
    return [ErrorDetail(message, code="unknown_member")]


def all_fields() -> str:
    """Return the sentence with the address of all fields, for a program; an empty text on pages and in commands."""
    return " /docs has the list of all fields." if _names_docs.get() else ""


def _advice(name: str, group: str, members: tuple[str, ...], homes: Homes) -> str:
    if name == "description" and not group and "descriptions" in members:
        return " " + _('Use descriptions, such as {"en": …}.')
    outer, dot, last = name.rpartition(".")
    if dot and wire_path(group, outer) in homes.get(last, ()):
        return did_you_mean([_nested(name)], in_quotes=False)
    if dot:
        return _advice(last, group, members, homes) or did_you_mean(
            [wire_path(group, outer)] if outer in members else []
        )
    siblings = [wire_path(group, found) for found in same_names(name, members)]
    if siblings:
        return did_you_mean(siblings)
    if name in homes:
        return _belongs_in(homes[name], group)
    near = close_names(name, tuple(homes) or members)
    here = [found for found in near if found in members]
    elsewhere = [wire_path(home, found) for found in near if found not in here for home in homes[found]]
    if not here and len(elsewhere) <= MAX_SUGGESTIONS:
        return did_you_mean(elsewhere)
    return did_you_mean([wire_path(group, found) for found in here or close_names(name, members)])


def _nested(path: str) -> str:
    """Return the JSON that the dotted `path` means: `{"conversion": {"conversionType": …}}`."""
    text = "…"
    for name in reversed(path.split(".")):
        text = f'{{"{name}": {text}}}'
    return text


def _belongs_in(groups: Sequence[str], here: str) -> str:
    """Return the sentence about the objects that have such a member; of many the first, if possible within `here`."""
    if "" in groups:
        return " " + _("It belongs at the top level.") if len(groups) <= MAX_SUGGESTIONS else ""
    if len(groups) > MAX_SUGGESTIONS:
        inner = [group for group in groups if group.startswith(f"{here}.")]
        return " " + _("It belongs in objects such as '{group}'.").format(group=(inner or groups)[0])
    return " " + _("It belongs in {groups}.").format(groups=_(" or ").join(f"'{group}'" for group in groups))
