"""The programs in Java and TypeScript call every operation of our documents.

The tests of the clients for Python compare what they have called with what the client has.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests import openapi

HERE = Path(__file__).parent
DOCUMENTS = Path(openapi.__file__).parent
# A method of the API by its name, which may be one of the variants that return the headers, too.
_BY_NAME = re.compile(r"\bapi\.(\w+?)(?:Raw|WithHttpInfo)?\(")
# A call of openapi-fetch, which names the method and the path.
_BY_PATH = re.compile(r"\bclient\.([A-Z]+)\([\"`]([^\"`]+)")

pytestmark = [pytest.mark.contract("M3"), pytest.mark.parametrize("dimension", ["currency", "account"])]


def operations(dimension: str) -> Iterator[tuple[str, str, str]]:
    """The method, the path and the name of each operation of the dimension, in the document of all."""
    document: Any = yaml.safe_load((DOCUMENTS / "dimensions.yml").read_text(encoding="utf-8"))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if dimension in operation["tags"]:
                yield method.upper(), path, operation["operationId"]


@pytest.mark.parametrize("program", ["java/{title}Calls.java", "typescript_fetch/{name}.ts"])
def test_a_program_calls_every_operation_by_its_name(dimension: str, program: str) -> None:
    source = (HERE / program.format(name=dimension, title=dimension.title())).read_text(encoding="utf-8")
    assert set(_BY_NAME.findall(source)) == {name for _, _, name in operations(dimension)}


def test_a_program_calls_every_operation_by_its_path(dimension: str) -> None:
    source = (HERE / "openapi_fetch" / f"{dimension}.ts").read_text(encoding="utf-8")
    root = re.findall(r"const root = \"(.+)\"", source)[0]
    called = {(method, path.replace("${root}", root)) for method, path in _BY_PATH.findall(source)}
    assert called == {(method, path) for method, path, _ in operations(dimension)}
