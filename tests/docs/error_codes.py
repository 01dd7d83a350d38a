"""The error codes in the source: what the page for integrators has to explain."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rest_framework import exceptions

from dimensions_site.elements.declaration.fields import Leaf

ROOT = Path(__file__).parents[2]
PACKAGES = ("api", "rsql", "elements", "repositories", "changes", "idempotency", "tokens")
FOLDERS = [*(f"dimensions_site/{name}" for name in PACKAGES), "currency", "account"]
# In this folder, the commands that import files use modules too, and clients never get their errors.
SHARED_FOLDER, SERVED = "bulkops", "bulkops.rest.routes"
# What the web server itself refuses.
SERVER = ROOT / "dimensions_site/server/worker.py"
# Only commands and pages map headings, and may read a text without knowing its encoding.
OF_FILES = {"UNKNOWN_HEADING", "UNCERTAIN_ENCODING", "UNKNOWN_SHEET"}

# What errors are made with -> which of its arguments is the code; `code=` names it elsewhere.
MAKERS = {
    "Problem": 1,
    "Failure": 1,
    "ErrorDetail": 1,
    "not_found": 0,
    "forbidden": 0,
    "_failure": 0,
    "json_error": 0,
    "_locked_out": 0,
    "InvalidReason": 0,
}
# The tables of Django's and gunicorn's exceptions: class, status, code.
ROW_OF_TABLE = re.compile(r'\([\w.()\s,]+, +\d{3},\s+"([A-Z_]+)"')


def error_codes() -> set[str]:
    """Every code that a client can get, in the spelling of the wire."""
    found = {exceptions.NotAuthenticated.default_code, exceptions.AuthenticationFailed.default_code}
    found |= {code for kind in _subclasses(Leaf) for code in vars(kind).get("default_error_messages", {})}
    files = {file for folder in FOLDERS for file in ROOT.glob(f"{folder}/**/*.py")}
    for file in files | {SERVER} | _imported(SERVED):
        source = file.read_text(encoding="utf-8")
        found |= {*_made(ast.parse(source)), *ROW_OF_TABLE.findall(source)}
    return {code.upper() for code in found} - OF_FILES


def _subclasses(kind: Any) -> Iterator[Any]:
    yield kind
    for subclass in kind.__subclasses__():
        yield from _subclasses(subclass)


def _imported(module: str) -> set[Path]:
    """The files of the module and of all modules of the shared folder that it needs."""
    found: set[Path] = set()
    todo = {module}
    while todo:
        file = ROOT / f"{todo.pop().replace('.', '/')}.py"
        if file.exists() and file not in found:
            found.add(file)
            tree = ast.parse(file.read_text("utf-8"))
            imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
            names = {f"{node.module}{rest}" for node in imports for rest in ("", *(f".{n.name}" for n in node.names))}
            todo |= {name for name in names if name.startswith(f"{SHARED_FOLDER}.")}
    return found


def _made(tree: ast.Module) -> Iterator[str]:
    for call in (node for node in ast.walk(tree) if isinstance(node, ast.Call)):
        codes = [keyword.value for keyword in call.keywords if keyword.arg == "code"]
        position = MAKERS.get(ast.unparse(call.func).rpartition(".")[2])
        if position is not None:
            codes += call.args[position : position + 1]
        for code in codes:
            # A code that is passed on was created elsewhere.
            if isinstance(code, ast.Constant) and re.fullmatch("[A-Za-z_]+", str(code.value)):
                yield str(code.value)
