"""What the documents say is what the service does: settings, fields, error codes, links, and every call with its answer."""

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command
from rest_framework import exceptions

from account.serializers import ACCOUNT_WIRE
from currency.serializers import CURRENCY_WIRE
from dimensions_site.repositories.models import Repository
from tests.site.field_tables import field_rows

ROOT = Path(__file__).parents[2]
INTEGRATORS = ROOT / "docs" / "integrators.md"
OPERATORS = ROOT / "docs" / "operators.md"
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})
PAGES_WITH_CALLS = [ROOT / "README.md", INTEGRATORS]

# Members that no two runs have in common.
CHANGING = {"oid", "date", "requestId"}
# Stands in a document for members or items that are left out.
ELLIPSIS = "…"


def section(page: Path, heading: str) -> str:
    """The text below `heading`, up to the next heading of any level."""
    return re.split(r"^#+ ", page.read_text().split(f"# {heading}\n", 1)[1], maxsplit=1, flags=re.MULTILINE)[0]


def table(page: Path, heading: str) -> list[list[str]]:
    """The cells of the rows in the section's table, its head left out."""
    rows = [line for line in section(page, heading).splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


def calls(file: Path) -> Iterator[ast.Call]:
    return (node for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.Call))


# --- Settings ----------------------------------------------------------------------------------


def settings_read() -> dict[str, str]:
    """Every name that the service reads from the environment, with its default as text, empty when there is none."""
    found: dict[str, str] = {}
    for file in (ROOT / "dimensions_site" / "settings.py", ROOT / "gunicorn.conf.py"):
        for call in calls(file):
            reader = ast.unparse(call.func)
            if reader == "os.environ.get" or re.fullmatch(r"env\.[a-z_]+", reader):
                default = [*(keyword.value for keyword in call.keywords), *call.args[1:]]
                found[str(ast.literal_eval(call.args[0]))] = as_text(default[0]) if default else ""
    return found


def as_text(default: ast.expr) -> str:
    """A default as an operator would write it into the environment."""
    value = eval(ast.unparse(default), {"BASE_DIR": Path()})
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_table_of_settings_has_every_setting_with_its_default():
    told = {name.strip("`"): default.strip("`") for name, default, *_ in table(OPERATORS, "Settings")}
    assert told == settings_read()


# --- Fields and error codes --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("heading", "wire"), [("Fields of a currency", CURRENCY_WIRE), ("Fields of an account", ACCOUNT_WIRE)]
)
@pytest.mark.contract("C1", "C7", "C8", "C10", "C19")
def test_the_table_of_fields_tells_what_the_serializer_declares(heading, wire):
    """Each leaf with its type, whether it is required, its default and its allowed values."""
    rows = field_rows(wire.serializer())
    right_table = "\n".join(f"| {' | '.join(cells)} |" for cells in rows)
    assert table(INTEGRATORS, heading) == rows, f"The table has to be:\n{right_table}"


def error_codes() -> set[str]:
    """The codes in the code: what errors are made with, and REST framework's own for failed authentication."""
    code = re.compile(r"[A-Za-z]+(_[A-Za-z]+)+|INVALID|REQUIRED|SYNTAX|invalid|required|null")
    makers = {"Problem", "Failure", "RsqlError", "ErrorDetail", "not_found", "forbidden", "_failure", "_error"}
    found = {exceptions.NotAuthenticated.default_code, exceptions.AuthenticationFailed.default_code, "null", "required"}
    folders = ["dimensions_site/api", "dimensions_site/rsql", "dimensions_site/elements", "dimensions_site/repositories"]
    for file in (file for folder in [*folders, "currency", "account"] for file in ROOT.glob(f"{folder}/*.py")):
        for call in calls(file):
            arguments = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
            if ast.unparse(call.func).rpartition(".")[2] in makers:
                arguments += call.args
            found |= {str(a.value) for a in arguments if isinstance(a, ast.Constant) and code.fullmatch(str(a.value))}
        found |= set(re.findall(r'\(\w+, \d{3}, "([A-Z_]+)"', file.read_text()))  # the table of Django's exceptions
    return {name.upper() for name in found}


@pytest.mark.contract("B1")
def test_the_table_of_error_codes_has_every_code():
    """No code can reach an integrator that the table does not explain, and it explains none that is gone."""
    assert {name.strip("`") for _, name, *_ in table(INTEGRATORS, "Error codes")} == error_codes()


# --- Links -------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The anchors that its headings give a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text()):
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


# --- Calls -------------------------------------------------------------------------------------

# A block of commands, the prose after it, and the answer where it is shown.
CALL = re.compile(r"```sh\n((?:(?!```).)*?curl (?:(?!```).)*)```\n((?:(?!```).)*)(?:```json\n(.*?)```)?", re.DOTALL)
# The status goes elsewhere than the body.
CURL = "curl() { command curl -sS -w '%{stderr}%{http_code}\n' \"$@\"; }\n"


def same(shown: object, answered: object) -> bool:
    """Whether the answer is the one that is shown, but for changing members and what an ellipsis stands for."""
    match shown, answered:
        case dict(), dict():
            names = shown.keys() - {ELLIPSIS}
            complete = names <= answered.keys() if ELLIPSIS in shown else names == answered.keys()
            return complete and all(name in CHANGING or same(shown[name], answered[name]) for name in names)
        case [*items, "…"], list():
            return len(answered) > len(items) and all(map(same, items, answered))
        case list(), list():
            return len(shown) == len(answered) and all(map(same, shown, answered))
        case _:
            return shown == answered


@pytest.mark.parametrize("page", PAGES_WITH_CALLS, ids=lambda page: page.name)
def test_the_calls_of_the_documents_get_the_answers_that_they_show(page, live_server, tmp_path):
    """In the order of the page, in the demo repository: the status after each call, and the body where it is shown."""
    if shutil.which("curl") is None:
        pytest.skip("curl is not installed")
    Repository.objects.create(db_id="demo", name="Demo group", default_language="en")
    call_command("fill_repository", "demo", verbosity=0)
    User.objects.create_superuser("demo", password="secret")
    environment = {
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "AUTH": "demo:secret",
        "CURRENCY": f"{live_server.url}/api/aih/dimensions/v1/demo/currency",
        "ACCOUNT": f"{live_server.url}/dimensions/v1/demo/account",
        "SERVICE": live_server.url,
    }
    found = CALL.findall(page.read_text())
    assert found, "no calls"
    for commands, prose, body in found:
        done = subprocess.run(
            ["bash", "-c", CURL + commands], env=environment, cwd=tmp_path, capture_output=True, text=True, timeout=30
        )
        wanted = re.search(r"`(\d{3})\b", prose)
        assert wanted is not None, f"no status after:\n{commands}"
        assert done.stderr.split()[-1] == wanted[1], f"{commands}{done.stdout}{done.stderr}"
        if body:
            assert same(json.loads(body), json.loads(done.stdout)), f"{commands}{done.stdout}"
