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

    def filled_in(node: Any) -> Any:
        """Fill in what YAML has read, as engines do: an empty value stays a text."""
        if isinstance(node, dict):
            return {name: filled_in(inner) for name, inner in node.items()}
        if isinstance(node, list):
            return [filled_in(inner) for inner in node]
        return pattern.sub(value, node) if isinstance(node, str) else node

    services: dict[str, Any] = filled_in(yaml.safe_load((PROJECT / "compose.yaml").read_text())["services"])
    return services
