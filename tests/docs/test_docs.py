"""The documents list the settings, fields, spellings, operators and error codes that the code has; their links hold."""

import ast
import os
import re
from pathlib import Path

import pytest
from django.core.management import get_commands

from account.serializers import ACCOUNT_WIRE
from dimensions_site.rsql.operators import OPERATORS
from dimensions_site.text.files import Format
from tests.docs.error_codes import error_codes
from tests.docs.field_tables import with_tables

ROOT = Path(__file__).parents[2]
FOR_INTEGRATORS = ROOT / "docs" / "integrators"
FOR_OPERATORS = ROOT / "docs" / "operators"
PAGES = sorted({*ROOT.glob("*.md"), *ROOT.glob("docs/**/*.md")})


def text_of(page: Path) -> str:
    """Return the text of a page, or of all pages of a folder."""
    pages = sorted(page.glob("*.md")) if page.is_dir() else [page]
    return "\n".join(found.read_text(encoding="utf-8") for found in pages)


def section(page: Path, heading: str) -> str:
    """Return the text below the only `heading` of that name, up to the next heading of any level."""
    parts = re.split(rf"^#+ {heading}$", text_of(page), flags=re.MULTILINE)
    assert len(parts) == 2, f"{page.name} needs one heading '{heading}'"
    return re.split("^#+ ", parts[1], maxsplit=1, flags=re.MULTILINE)[0]


def table(page: Path, heading: str) -> list[list[str]]:
    """The cells of the rows in the section's table, without its heading."""
    rows = [line for line in section(page, heading).splitlines() if line.startswith("|")]
    assert len(rows) > 2, f"{page.name} has no table under '{heading}'"
    return [[cell.strip() for cell in row.strip("|").split("|")] for row in rows[2:]]


# --- Settings ----------------------------------------------------------------------------------


def settings_read() -> dict[str, str]:
    """Every name that the service reads from the environment, with its default as text, empty when there is none."""
    found: dict[str, str] = {}
    for file in (ROOT / "dimensions_site" / "settings.py", ROOT / "gunicorn.conf.py"):
        tree = ast.parse(file.read_text(encoding="utf-8"))
        for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
            reader = ast.unparse(call.func)
            if reader == "os.environ.get" or re.fullmatch(r"(env|backends)\.[a-z_]+", reader):
                default = [*(keyword.value for keyword in call.keywords), *call.args[1:]]
                found[str(ast.literal_eval(call.args[0]))] = as_text(default[0]) if default else ""
    return found


def as_text(default: ast.expr) -> str:
    """A default as an operator would write it into the environment."""
    value = eval(ast.unparse(default), {"BASE_DIR": Path()})
    if isinstance(value, list):
        return ",".join(value)
    return str(value).lower() if isinstance(value, bool) else str(value)


def test_the_tables_of_settings_have_every_setting_with_its_default():
    rows = re.findall(r"^\| `([A-Z_]+)` \| (.*?) ?\|", text_of(FOR_OPERATORS / "settings.md"), re.MULTILINE)
    assert {name: default.strip("`") for name, default in rows} == settings_read()
    assert len(rows) == len(settings_read()), "a setting is listed twice"


# --- Fields and error codes --------------------------------------------------------------------


def test_the_tables_of_fields_show_what_the_serializers_declare():
    """Each leaf with its type, whether it is required, its default and its allowed values."""
    page = FOR_INTEGRATORS / "fields.md"
    if os.environ.get("ACCEPT_FIELDS") == "true":
        page.write_text(with_tables(page.read_text(encoding="utf-8")), encoding="utf-8")
    text = page.read_text(encoding="utf-8")
    assert text == with_tables(text), "run: make field-tables"


def test_the_table_of_spellings_shows_what_is_accepted():
    """Each alternative spelling of the page means the field beside it."""
    for row in table(FOR_INTEGRATORS, "Alternative spellings"):
        alternative, wire = (
            cell.strip("`").removesuffix(".*").replace("customDimensionN", "customDimension1") for cell in row
        )
        assert ACCOUNT_WIRE.canonical_path(alternative) == wire != alternative
        assert ACCOUNT_WIRE.find(wire) is not None


def test_the_table_of_operators_has_every_operator_in_every_spelling():
    """None is missing, and none is listed that a filter would refuse."""
    listed = [symbol for row in table(FOR_INTEGRATORS, "Filter") for symbol in re.findall("`(.+?)`", row[0])]
    assert listed == [symbol for operator in OPERATORS for symbol in operator.symbols]


def test_each_option_for_a_format_names_them_all():
    rows = re.findall(r"^\| `--format` \| (.+?) \|$", text_of(FOR_OPERATORS / "files.md"), re.MULTILINE)
    assert len(rows) == 2
    assert all({*Format} <= {*re.findall("`(.+?)`", row)} for row in rows)


def test_the_table_of_error_codes_has_every_code():
    """Every code that an integrator can get is in the table, and no obsolete one."""
    assert {name.strip("`") for _, name, *_ in table(FOR_INTEGRATORS, "Error codes")} == error_codes()


# --- Commands ----------------------------------------------------------------------------------


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_command_that_a_page_names_exists(page):
    """The changelog may name commands that no longer exist."""
    if page.name != "CHANGELOG.md":
        named = re.findall(r"manage\.py ([a-z_]+)", page.read_text(encoding="utf-8"))
        assert set(named) <= get_commands().keys()


# --- Links -------------------------------------------------------------------------------------


def anchors(page: Path) -> set[str]:
    """The anchors that its headings give a page."""
    headings = re.findall(r"^#+ (.+)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_relative_link_leads_somewhere(page):
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", page.read_text(encoding="utf-8")):
        path, _, anchor = target.partition("#")
        file = (page.parent / path) if path else page
        assert file.exists(), target
        assert not anchor or anchor in anchors(file), target


def test_every_picture_is_shown_somewhere():
    """Pictures that no page shows are deleted; the links show that the others exist."""
    shown = {
        (page.parent / target).resolve()
        for page in PAGES
        for target in re.findall(r"!\[[^\]]+\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    assert shown == set(ROOT.glob("docs/images/**/*.png")) != set()
