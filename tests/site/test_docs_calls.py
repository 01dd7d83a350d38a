"""The calls in the documents get the answers that the documents show.

A block of commands with a `curl` is run. The status stands in backquotes in the prose after it, and a `json` block
after that is the body.
"""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from dimensions_site.repositories.models import ApiKey, Repository

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "integrators.md"]

# Members that no two runs have in common.
CHANGING = {"oid", "date", "requestId"}
# Stands in a document for members or items that are left out.
ELLIPSIS = "…"

# The commands, the prose after them, and the body where it is shown.
CALL = re.compile(r"```sh\n((?:(?!```).)*?curl (?:(?!```).)*)```\n((?:(?!```).)*)(?:```json\n(.*?)```)?", re.DOTALL)
# The first version of curl with --json.
KNOWS_JSON = (7, 82)
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
            return type(shown) is type(answered) and shown == answered


def missing() -> str:
    """What this machine lacks to run the calls; empty when it lacks nothing."""
    if shutil.which("bash") is None:
        return "bash is not installed"
    if shutil.which("curl") is None:
        return "curl is not installed"
    told = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.match(r"curl (\d+)\.(\d+)", told)
    if version is None or (int(version[1]), int(version[2])) < KNOWS_JSON:
        return f"curl 7.82 or later is needed, which knows --json; this is {told.partition(' (')[0]}"
    return ""


# CI has everything: there, what is missing is a failure.
LACKING = "" if os.environ.get("CI") == "true" else missing()


@pytest.mark.skipif(LACKING != "", reason=LACKING)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_calls_of_the_documents_get_the_answers_that_they_show(page, live_server, tmp_path):
    """In the order of the page, in the demo repository: the status after each call, and the body where it is shown."""
    Repository.objects.create(db_id="demo", name="Demo group", default_language="en")
    call_command("fill_repository", "demo", verbosity=0)
    user = User.objects.create_superuser("demo", password="secret")
    environment = {
        "PATH": os.environ["PATH"],
        "AUTH": "demo:secret",
        "KEY": ApiKey.objects.create_key(user=user, name="documents")[1],
        "CURRENCY": f"{live_server.url}/api/aih/dimensions/v1/demo/currency",
        "ACCOUNT": f"{live_server.url}/dimensions/v1/demo/account",
        "SERVICE": live_server.url,
    }
    found = CALL.findall(page.read_text(encoding="utf-8"))
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
