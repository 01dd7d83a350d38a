"""compose.yaml as an engine reads it: its variables filled in."""

import re
from collections.abc import Mapping
from typing import Any

import yaml

from tests.services.service import PROJECT


def compose(variables: Mapping[str, str]) -> dict[str, Any]:
    """The services of compose.yaml by name, with `${NAME}`, `${NAME:-default}` and `${NAME:?message}` filled in."""

    def value(found: re.Match[str]) -> str:
        name, default = found["name"], found["default"]
        return variables[name] if default is None else variables.get(name, default)

    pattern = re.compile(r"\$\{(?P<name>[A-Z_]+)(?::-(?P<default>[^}]*)|:\?[^}]*)?\}")
    text = pattern.sub(value, (PROJECT / "compose.yaml").read_text())
    services: dict[str, Any] = yaml.safe_load(text)["services"]
    return services
