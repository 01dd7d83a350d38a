"""A client that openapi-python-client makes of our documents does every operation on the running service."""

import importlib
import inspect
import subprocess
import sys
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.factories import account, currency
from tests.live.service import Service

pytestmark = [pytest.mark.contract("G1", "H3")]

# Some of the allowed values differ by their blanks alone, so they are texts and not names of constants.
CONFIGURATION = "literal_enums: true\npost_hooks: []\n"


def generated(service: Service, dimension: str, folder: Path) -> str:
    """Make the client in `folder`; return the name of its package. Whatever it could not make is a failure."""
    document, configuration = folder / "document.json", folder / "configuration.yml"
    document.write_bytes(service.send("GET", f"/openapi/{dimension}.json").body)
    configuration.write_text(CONFIGURATION)
    package = f"generated_{dimension}"
    made = subprocess.run(
        [
            str(Path(sys.executable).with_name("openapi-python-client")),
            *("generate", "--path", str(document), "--config", str(configuration)),
            *("--output-path", str(folder / package), "--meta", "none", "--fail-on-warning"),
        ],
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )
    assert made.returncode == 0, made.stdout + made.stderr
    return package


def typed(module: Any, body: Any) -> Any:
    """The body as the type that the operation of the client takes."""
    declared = inspect.signature(module._get_kwargs).parameters["body"].annotation
    candidates = [*get_args(declared), declared]
    model = next((candidate for candidate in candidates if hasattr(candidate, "from_dict")), None)
    if model is None or Any in candidates:
        return body
    return [model.from_dict(item) for item in body] if isinstance(body, list) else model.from_dict(body)


@pytest.mark.parametrize(
    ("dimension", "plural", "element"),
    [("currency", "currencies", currency("EUR")), ("account", "accounts", account("1000"))],
    ids=["currency", "account"],
)
def test_the_generated_client_does_every_operation(
    service: Service, dimension: str, plural: str, element: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With a JSON Web Token; each answer is what the document says, read into the client's own types."""
    package = generated(service, dimension, tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    access = service.send("POST", "/auth/jwt/token", {"username": "alice", "password": "alice-password"}).json()[
        "access"
    ]
    done: set[str] = set()

    def call(operation: str, status: int, *path: Any, **arguments: Any) -> Any:
        done.add(operation)
        module = importlib.import_module(f"{package}.api.{dimension}.{operation}")
        if "body" in arguments:
            arguments["body"] = typed(module, arguments["body"])
        with importlib.import_module(package).AuthenticatedClient(service.address, token=access) as client:
            answer = module.sync_detailed("northwind", *path, client=client, **arguments)
        assert answer.status_code == status, (operation, answer.content)
        assert answer.parsed is not None or status == 204, (operation, answer.content)
        return answer.parsed

    id = element["id"]
    description = {"descriptions": {"en": "Another name"}}
    assert call(f"create_{dimension}", 201, body=element).id == id
    assert call(f"create_{dimension}", 400, body=element).code == "ALREADY_EXISTS"
    assert call(f"get_{dimension}", 200, id).id == id
    assert call(f"replace_{dimension}", 200, id, body={**element, **description}).id == id
    assert call(f"patch_{dimension}", 200, id, body=description).descriptions["en"] == "Another name"
    assert [found.id for found in call(f"list_{plural}", 200, filter_=f"id=={id}", sort="-id", take=1)] == [id]
    assert call(f"count_{plural}", 200, filter_=f"id=={id}") == 1
    assert call(f"fetch_{plural}", 200, properties="id,description", filter_=f"id=={id}")[0].id == id
    call(f"save_{plural}", 200, body={"put": [element]})
    started = call(f"delete_{plural}", 202, body=[{"id": id}])
    assert started.data_processing_id in [each.data_processing_id for each in call(f"list_{dimension}_deletions", 200)]
    assert call(f"get_{dimension}_deletion", 200, started.data_processing_id)
    stopped = call(f"abort_{dimension}_deletion", 202 if dimension == "currency" else 200, started.data_processing_id)
    assert str(started.data_processing_id) in stopped.message
    assert call(f"get_{dimension}", 404, "nothing").code == "ELEMENT_NOT_FOUND"
    modules = (tmp_path / package / "api" / dimension).glob("[a-z]*.py")
    assert done == {module.stem for module in modules}
