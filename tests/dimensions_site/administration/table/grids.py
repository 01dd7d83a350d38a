"""The page with the table as a test uses it: what it shows, and what its script sends."""

import json
from collections.abc import Sequence
from typing import Any

from django.test import Client

from account.models import Account
from tests.dimensions_site.administration.site.people import page


def opened(browser: Client, query: str = "", model: Any = Account) -> Any:
    """The page for all that the list finds."""
    return browser.get(f"{page(model, 'table')}{query}")


def columns(response: Any) -> list[str]:
    """The names of the columns that the page shows."""
    return [column["name"] for column in response.context["grid"]["columns"]]


def cells(response: Any) -> dict[str, dict[str, str]]:
    """The texts of all cells as the page shows them, by id and column."""
    names = columns(response)
    return {
        row["id"]: dict(zip(names, row["stored"], strict=True)) | row["typed"]
        for row in response.context["grid"]["rows"]
    }


def marks(response: Any) -> dict[tuple[str, str], str]:
    """What is written at cells, by id and column."""
    return {
        (row["id"], column): text for row in response.context["grid"]["rows"] for column, text in row["marks"].items()
    }


def sent_table(
    response: Any, typed: dict[str, dict[str, str]], kept: Any = None, new: Sequence[tuple[str, dict[str, str]]] = ()
) -> dict[str, Any]:
    """What the script of the page sends after somebody has `typed` in cells, by id and column, and added `new` rows."""
    grid = response.context["grid"]
    return {
        "repository": grid["repository"],
        "columns": columns(response),
        "rows": [
            {
                "id": row["id"],
                "base": row["base"],
                "typed": {**row["typed"], **typed.get(row["id"], {})},
                "kept": (kept or {}).get(row["id"], row["kept"]),
                "is_new": row["is_new"],
            }
            for row in grid["rows"]
        ]
        + [{"id": id, "base": 0, "typed": cells, "is_new": True} for id, cells in new],
    }


def send(
    browser: Client, response: Any, do: str, typed: dict[str, dict[str, str]] | None = None, **further: Any
) -> Any:
    """Type in cells of the page, and press the button that does `do`."""
    table = sent_table(response, typed or {}, further.pop("kept", None), further.pop("new", ()))
    model = further.pop("model", Account)
    data = {"_table": json.dumps(table), "_do": do, "_plan": response.context.get("plan", ""), **further}
    return browser.post(page(model, "table"), data)


def checked(browser: Client, typed: dict[str, dict[str, str]], query: str = "") -> Any:
    """Open the table, type, and check."""
    return send(browser, opened(browser, query), "check", typed)


def problems(response: Any) -> list[str]:
    """The errors at cells that the page lists."""
    return [f"{error.id} {error.name}: {error.text}" for error in response.context["checked"].errors]
