"""What the pages of the admin lead to: the addresses in them, and the forms with what they would send.

In the short form the first and the last of each kind; `make test-long` takes all.
"""

import re
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import TypeVar
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

from django.test import Client
from django.urls import resolve

from tests.lengths import IS_LONG, tries

T = TypeVar("T")
# Of addresses that differ only in the values of their query, as the links that sort by each column.
_ALIKE = tries(2, long=3)
# Of pages of one kind, how many are searched for more.
_SEARCHED = tries(2, long=1_000)
# Selects whose every option is sent, one after the other: what is done, and where.
_TRIED = {"action", "target", "repository"}


@dataclass
class SentForm:
    """A form that is sent by POST: its address, its initial content, and what else is `tried`."""

    action: str
    fields: dict[str, list[str]] = field(default_factory=dict)
    tried: list[tuple[str, str]] = field(default_factory=list)

    def variants(self) -> Iterator[dict[str, list[str]]]:
        """The data that a browser could send."""
        yield self.fields
        for name, value in self.tried:
            yield {**self.fields, name: [value]}

    def kind(self) -> Hashable:
        """What it sends, and where to, whichever element or list it is about."""
        chosen = (str(self.fields.get(name)) for name in sorted(_TRIED))
        return kind_of(self.action)[0], *self.fields, *chosen, *self.tried


class Leads(HTMLParser):
    """Collects the forms of a page at `address`, and the addresses within the admin that are in any attribute."""

    def __init__(self, address: str) -> None:
        super().__init__()
        self.addresses: set[str] = set()
        self.forms: list[SentForm] = []
        self._address = address
        self._form: SentForm | None = None
        self._select = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        for name, value in attributes.items():
            if value.startswith("/admin/") or (name in ("href", "action") and value.startswith(("?", "."))):
                self.addresses.add(urljoin(self._address, value).partition("#")[0])
        if "data-ajax--url" in attributes:
            asked = {
                name: attributes[f"data-{name.replace('_', '-')}"] for name in ("app_label", "model_name", "field_name")
            }
            self.addresses.add(f"{attributes['data-ajax--url']}?{urlencode(asked)}")
        self._read_form(tag, attributes)

    def _read_form(self, tag: str, attributes: dict[str, str]) -> None:
        name = attributes.get("name", "")
        if tag == "form":
            is_sent = attributes.get("method", "").lower() == "post"
            self._form = SentForm(urljoin(self._address, attributes.get("action", ""))) if is_sent else None
            self.forms += [self._form] if self._form else []
        elif self._form is None:
            return
        elif tag == "select":
            self._select = name
        elif tag == "option" and self._select:
            if "selected" in attributes or self._select not in self._form.fields:
                self._form.fields[self._select] = [attributes.get("value", "")]
            if self._select in _TRIED:
                self._form.tried.append((self._select, attributes.get("value", "")))
        elif tag in ("input", "textarea") and name and name != "csrfmiddlewaretoken":
            # Boxes are ticked: what they select is what matters here.
            self._form.fields.setdefault(name, []).append(attributes.get("value", ""))
        elif tag == "button" and name:
            self._form.tried.append((name, attributes.get("value", "")))

    def handle_endtag(self, tag: str) -> None:
        if tag == "select":
            self._select = ""
        elif tag == "form":
            self._form = None


def shape_of(address: str) -> tuple[str, ...]:
    """The path of the address and the sorted names of its parameters."""
    parts = urlsplit(address)
    return parts.path, *sorted(dict(parse_qsl(parts.query)))


def kind_of(address: str) -> tuple[str, ...]:
    """The shape of the address without keys; each field with choices has an address of its own."""
    path, *asked = shape_of(address)
    return (address,) if "/autocomplete/" in path else (re.sub("[^/]*[0-9][^/]*", "", path), *asked)


def few(all_of_them: Iterable[T], kind: Callable[[T], Hashable]) -> list[T]:
    """The first and the last of each kind; in the long form all."""
    kinds: dict[Hashable, list[T]] = {}
    for one in all_of_them:
        kinds.setdefault(kind(one), []).append(one)
    return [one for alike in kinds.values() for one in (alike if IS_LONG else alike[:1] + alike[1:][-1:])]


def crawl(browser: Client, *starts: str) -> tuple[set[str], list[SentForm]]:
    """All addresses of the pages that the `starts` lead to, and their forms; the same form of many pages occurs once.

    Of addresses that differ only in their query, those with the same parameter names are opened once and returned
    a few times, and their links to further such addresses are left out: that would be all combinations of all filters.
    """
    addresses: set[str] = set(starts)
    alike: Counter[tuple[str, ...]] = Counter()
    searched: Counter[Hashable] = Counter()
    forms: list[SentForm] = []
    waiting, opened = list(starts), set[tuple[str, ...]]()
    while waiting:
        address = waiting.pop()
        path, *asked = shape_of(address)
        if (path, *asked) in opened or resolve(path).url_name == "logout":
            continue
        opened.add((path, *asked))
        kind = kind_of(address), address in starts
        searched[kind] += 1
        if searched[kind] > _SEARCHED:
            continue
        answer = browser.get(address, follow=True)
        if not answer.headers.get("Content-Type", "").startswith("text/html") or answer.streaming:
            answer.getvalue()  # which closes its file
            continue
        leads = Leads(answer.redirect_chain[-1][0] if answer.redirect_chain else address)
        leads.feed(answer.content.decode())
        forms += [form for form in leads.forms if form not in forms and not form.action.startswith("/admin/logout/")]
        for lead in sorted(leads.addresses - addresses):
            if not asked or "?" not in lead:
                shape = shape_of(lead)
                alike[shape] += 1
                if alike[shape] <= _ALIKE or "/autocomplete/" in lead:
                    waiting.append(lead)
                    addresses.add(lead)
    return addresses, forms
