"""Pages of the admin as a browser fills them in and sends them."""

import re
from typing import Any

from tests.dimensions_site.administration.site.forms import filled_form
from tests.dimensions_site.administration.site.people import page

# Tokens, in which any word may occur by chance, and seconds. Each begins with letters that are quick to search for.
FLEETING = [
    re.compile(text)
    for text in (
        r'value="[A-Za-z0-9]{64}"',
        r'once"?[=:] ?"[^"]*"',
        r"in [0-9.]+ seconds",
        r"<dt>Made</dt><dd>[-0-9: ]+",  # when a report was made
    )
]
_MAPS = ("descriptions", "alternativeDescriptions", "customAttributes")


def lasting(text: str) -> str:
    """The text of a page without the parts that differ each time."""
    for fleeting in FLEETING:
        text = fleeting.sub("", text)
    return text


def filled_in(response: Any, form: str = "element-form") -> dict[str, str]:
    """What a browser sends of the form on the page when nothing is changed in it."""
    return filled_form(response.content.decode(), form)


def typed(value: Any, path: str = "") -> dict[str, str]:
    """What people type to get the wire JSON `value`: the names of the controls with their texts."""
    if path in _MAPS:
        entries = {path: ""}
        for number, (key, text) in enumerate((value or {}).items()):
            entries[f"{path}:{number}:key"] = key
            entries |= {f"{path}:{number}:null": "on"} if text is None else {f"{path}:{number}:text": text}
        return entries
    if isinstance(value, dict):
        parts = (typed(inner, f"{path}.{name}" if path else name) for name, inner in value.items())
        return {name: text for part in parts for name, text in part.items()}
    return {path: "" if value is None else str(value).lower() if isinstance(value, bool) else str(value)}


def errors(response: Any) -> dict[str, list[str]]:
    """The errors on the page, by field; at a map's row by its path and key; those above the form under ""."""
    form = response.context["form"]
    found = {"": form.errors}
    for path, control in form.controls.items():
        found[path] = control.errors
        for row in getattr(control, "rows", ()):
            found.setdefault(f"{path}.{row.key}", []).extend(row.errors)
    return {path: messages for path, messages in found.items() if messages}


def change(browser, element, **changes):
    """Open the page of the element, type the `changes` (by path), and save."""
    address = page(type(element), "change", element.pk)
    return browser.post(address, {**filled_in(browser.get(address)), **changes})
