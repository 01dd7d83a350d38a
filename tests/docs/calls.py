"""The calls in the documents, run as in a terminal, and whether the responses are those shown.

A block of commands with a `curl` or an `export` is run. With a `curl`, the status is in backquotes in the prose after
the block, and a `json` or `csv` block after that is the body. What a block exports, the later ones know.
"""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Mapping
from pathlib import Path

# Members that no two runs have in common.
CHANGING = {"oid", "date", "requestId", "requestDateTime", "dataProcessingId"}
# Stands in a document for members, items or a part of a text that are left out.
ELLIPSIS = "…"

# The commands, the prose after them, and the body where it is shown.
CALL = re.compile(
    r"```sh\n((?:(?!```).)*?(?:curl |export )(?:(?!```).)*)```\n((?:(?!```).)*)(?:```(json|csv)\n(.*?)```)?", re.DOTALL
)
# The first version of curl with --json.
KNOWS_JSON = (7, 82)
# As in one terminal; and the status of a response goes elsewhere than its body.
TERMINAL = """
if test -e exported; then . ./exported; fi
curl() {{ command curl -sS -w '%{{stderr}}%{{http_code}}\n' "$@"; }}
{commands}
status=$?
export -p > exported
exit $status
"""


def same(shown: object, answered: object) -> bool:
    """Whether the response is the one shown, except for changing members and what an ellipsis stands for."""
    match shown, answered:
        case dict(), dict():
            names = shown.keys() - {ELLIPSIS}
            complete = names <= answered.keys() if ELLIPSIS in shown else names == answered.keys()
            return complete and all(name in CHANGING or same(shown[name], answered[name]) for name in names)
        case [*items, "…"], list():
            return len(answered) > len(items) and all(map(same, items, answered))
        case list(), list():
            return len(shown) == len(answered) and all(map(same, shown, answered))
        case str(), str() if ELLIPSIS in shown:
            return re.fullmatch(".+".join(map(re.escape, shown.split(ELLIPSIS))), answered, re.DOTALL) is not None
        case _:
            return type(shown) is type(answered) and shown == answered


def missing() -> str:
    """What this machine lacks to run the calls; empty when it lacks nothing."""
    if shutil.which("bash") is None:
        return "bash is not installed"
    if shutil.which("curl") is None:
        return "curl is not installed"
    output = subprocess.run(["curl", "--version"], capture_output=True, text=True, check=True).stdout
    version = re.match(r"curl (\d+)\.(\d+)", output)
    if version is None or (int(version[1]), int(version[2])) < KNOWS_JSON:
        return f"curl 7.82 or later is needed, which knows --json; this is {output.partition(' (')[0]}"
    return ""


# CI has everything: there, what is missing is a failure.
LACKING = "" if os.environ.get("CI") == "true" else missing()


def run_calls(text: str, environment: Mapping[str, str], folder: Path, after_each: Callable[[], object]) -> int:
    """Run the calls in a page's `text` in order and see that each gets the answer that is shown; return their number.

    The commands find the variables of `environment`, and work in `folder`; `after_each` is called after each block.
    """
    found = CALL.findall(text)
    for commands, prose, kind, body in found:
        done = subprocess.run(
            ["bash", "-c", TERMINAL.format(commands=commands)],
            env={"PATH": os.environ["PATH"], **environment},
            cwd=folder,
            capture_output=True,
            text=True,
            timeout=60,
        )
        after_each()
        if "curl " not in commands:
            assert done.returncode == 0, f"{commands}{done.stdout}{done.stderr}"
            continue
        wanted = re.search(r"`(\d{3})\b", prose)
        assert wanted is not None, f"no status after:\n{commands}"
        assert done.stderr.split()[-1] == wanted[1], f"{commands}{done.stdout}{done.stderr}"
        if kind == "csv":
            assert done.stdout == body, commands
        elif body:
            assert same(json.loads(body), json.loads(done.stdout)), f"{commands}{done.stdout}"
    return sum("curl " in commands for commands, *_ in found)
