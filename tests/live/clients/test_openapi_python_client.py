"""A client that openapi-python-client makes of our documents does every operation on the running service."""

import importlib
import inspect
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.live.clients.scenario import do_every_operation, each_dimension, is_meant_untyped
from tests.live.clients.tools import run
from tests.services.service import Service

pytestmark = [pytest.mark.contract("G1", "H3", "M3")]


def typed(module: Any, body: Any) -> Any:
    """The body as the one type that the operation of the client takes."""
    declared = inspect.signature(module._get_kwargs).parameters["body"].annotation
    model = get_args(declared)[0] if isinstance(body, list) else declared
    assert hasattr(model, "from_dict"), f"{module.__name__} takes {declared}"
    return [model.from_dict(item) for item in body] if isinstance(body, list) else model.from_dict(body)


def untyped_members(package: str) -> list[str]:
    """The members of its models that could be anything, without those that are meant to."""
    models = importlib.import_module(f"{package}.models")
    return [
        f"{name}.{member}: {annotation}"
        for name in models.__all__
        for member, annotation in getattr(getattr(models, name), "__annotations__", {}).items()
        if "Any" in str(annotation) and not is_meant_untyped(name, member, annotation)
    ]


@each_dimension
def test_the_generated_client_does_every_operation(
    service: Service, dimension: str, plural: str, element: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a JSON Web Token; each body has the client's own type, and each answer is read into one."""
    package = f"{dimension}_client"
    document = f"{service.address}/openapi/{dimension}.json"
    run(
        "openapi-python-client",
        "generate",
        "--url",
        document,
        "--output-path",
        package,
        "--meta",
        "none",
        folder=tmp_path,
    )
    monkeypatch.syspath_prepend(str(tmp_path))
    access = service.send("POST", "/auth/jwt/token", {"username": "alice", "password": "alice-password"}).json()[
        "access"
    ]

    def call(operation: str, status: int, *path: Any, **arguments: Any) -> Any:
        module = importlib.import_module(f"{package}.api.{dimension}.{operation}")
        if "body" in arguments:
            arguments["body"] = typed(module, arguments["body"])
        if "filter" in arguments:
            arguments["filter_"] = arguments.pop("filter")
        with importlib.import_module(package).AuthenticatedClient(service.address, token=access) as client:
            answer = module.sync_detailed("northwind", *path, client=client, **arguments)
        assert answer.status_code == status, (operation, answer.content)
        assert answer.parsed is not None, (operation, answer.content)
        return answer.parsed

    done = do_every_operation(call, dimension, plural, {**element, "id": "openapi-python-client"})

    assert done == {module.stem for module in (tmp_path / package / "api" / dimension).glob("[a-z]*.py")}
    assert untyped_members(package) == []
