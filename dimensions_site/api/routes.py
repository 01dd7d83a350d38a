"""The paths of the service: those below another one, and those that are like an unknown one."""

from functools import cache

from django.contrib.admindocs.views import simplify_regex
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.urls import URLResolver, get_resolver
from django.views.decorators.vary import vary_on_headers

from dimensions_site.api.middleware.addresses import API_PREFIXES
from dimensions_site.api.views import View, read_only
from dimensions_site.text.formats import shortened
from dimensions_site.text.suggestions import close_names


def near_paths(request: HttpRequest) -> list[str]:
    """Return the paths of the API that differ from the unknown one of the `request` in one name, and look like it."""
    sent = request.path_info.split("/")
    known: dict[int, dict[str, None]] = {}
    for route in (path.split("/") for path in routes(get_resolver())):
        if len(route) == len(sent):
            wrong = [at for at, name in enumerate(route) if not name.startswith("<") and name != sent[at]]
            if len(wrong) == 1:
                known.setdefault(wrong[0], {})[route[wrong[0]]] = None
    near = ((at, name) for at, names in known.items() for name in close_names(sent[at], tuple(names)))
    prefix = request.path.removesuffix(request.path_info)
    return [shortened(prefix + "/".join([*sent[:at], name, *sent[at + 1 :]])) for at, name in near]


def listing(page: View) -> View:
    """Return a view of the paths below its own: as JSON, or for browsers the `page` (contract B3)."""

    def view(request: HttpRequest) -> HttpResponse:
        if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
            return page(request)
        below = f"{request.path_info}/"
        found = [path for path in routes(get_resolver()) if path.startswith(below) and "<" not in path]
        return JsonResponse({"paths": [request.path.removesuffix(request.path_info) + path for path in found]})

    return vary_on_headers("Accept")(read_only(view))


@cache
def routes(resolver: URLResolver, prefix: str = "/") -> list[str]:
    """Return every path of the API; `<…>` stands for any text."""
    found = []
    for pattern in resolver.url_patterns:
        path = prefix + simplify_regex(str(pattern.pattern)).lstrip("/")
        if isinstance(pattern, URLResolver):
            found += routes(pattern, path)
        elif path.startswith((*API_PREFIXES, "/docs/")):
            found.append(path)
    return found
