"""The routes of the REST API, as the URL table has them."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django.urls import URLPattern, URLResolver, get_resolver, reverse

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "LOCK")


@dataclass(frozen=True)
class Route:
    """A route below `{dbID}`: `namespace` is its dimension and prefix, `arguments` are what its path leaves open."""

    namespace: str
    name: str
    arguments: frozenset[str]

    def path(self, db_id: str, **values: str) -> str:
        """The path in a repository; an argument that is not given becomes `none`."""
        open_arguments = {name: values.get(name, "none") for name in self.arguments}
        return reverse(f"{self.namespace}:{self.name}", kwargs={**open_arguments, "db_id": db_id})

    def __str__(self) -> str:
        return f"{self.namespace}:{self.name}"


def api_routes() -> list[Route]:
    """Every route that names a repository, under both prefixes."""
    return [route for route in _routes(get_resolver().url_patterns, "", frozenset()) if "db_id" in route.arguments]


def _routes(patterns: Iterable[URLPattern | URLResolver], namespace: str, outer: frozenset[str]) -> Iterator[Route]:
    for entry in patterns:
        arguments = outer | frozenset(entry.pattern.regex.groupindex)
        if isinstance(entry, URLResolver):
            yield from _routes(entry.url_patterns, entry.namespace or namespace, arguments)
        else:
            yield Route(namespace, entry.name or "", arguments)
