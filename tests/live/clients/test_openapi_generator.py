"""Clients that OpenAPI Generator makes of our documents with its default options compile, and do every operation."""

import importlib
import importlib.resources
import inspect
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, get_args

import pytest

from tests.live.clients.scenario import do_every_operation, each_dimension, is_meant_untyped
from tests.live.clients.tools import DONE, need_java, need_java_libraries, need_npm_tools, run
from tests.live.clients.typescript import compiled
from tests.services.service import Service

pytestmark = [pytest.mark.contract("H3", "M3", "M4")]

HERE = Path(__file__).parent
DIMENSIONS = ("currency", "account")
# The default library of Java needs some that Debian does not have, so its client is compiled as far as that goes, and
# this one is run.
RUNNING_JAVA = {"library": "native", "additionalProperties": {"openApiNullable": False}}
GENERATORS: dict[str, tuple[str, dict[str, Any]]] = {
    "typescript-fetch": ("typescript-fetch", {}),
    "python": ("python", {}),
    "java": ("java", {}),
    "running-java": ("java", RUNNING_JAVA),
}
# Parts of the default library of Java that are the same whatever the document says.
INDEPENDENT = re.compile(r"/client/(?:ApiClient|auth/\w+)\.java$")
# What is in the libraries that are missing here.
MISSING = re.compile(
    r"org\.openapitools\.jackson\.nullable|io\.gsonfire|(?:class|variable) (?:JsonNullable|GsonFire|TypeSel)"
)


@pytest.fixture(scope="module")
def made(service: Service, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a client of each generator for each dimension, made of the documents as they are served."""
    need_java()
    folder = tmp_path_factory.mktemp("clients")
    configurations = []
    for name, (generator, options) in GENERATORS.items():
        for dimension in DIMENSIONS:
            document = f"{service.address}/openapi/{dimension}.json"
            output = {
                "generatorName": generator,
                "inputSpec": document,
                "outputDir": str(folder / f"{dimension}-{name}"),
            }
            file = folder / f"{dimension}-{name}.json"
            file.write_text(json.dumps({**output, **options}))
            configurations.append(file)
    with importlib.resources.as_file(importlib.resources.files("openapi_generator_cli")) as package:
        run("java", "-jar", package / "openapi-generator.jar", "batch", "--fail-fast", *configurations, folder=folder)
    return folder


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_client_for_typescript_fetch_does_every_operation(made: Path, service: Service, dimension: str) -> None:
    """Compiled with `tsc --strict`. It knows where the service is from the document."""
    need_npm_tools()
    client = made / f"{dimension}-typescript-fetch"
    calls = compiled(HERE / "typescript_fetch" / f"{dimension}.ts", client=client)

    assert run("node", calls, service.key).strip() == DONE


def model_in(annotation: Any) -> Any:
    """The model of the client that the annotation names, be it of items or of what may be absent."""
    if hasattr(annotation, "model_fields"):
        return annotation
    return next(filter(None, map(model_in, get_args(annotation))), None)


def typed(annotation: Any, value: Any) -> Any:
    """The JSON value as the type that the annotation names, built as people build it: `from_dict` sets every member."""
    model = model_in(annotation)
    if isinstance(value, list):
        return [typed(model, item) for item in value]
    if model is None or value is None:
        assert not isinstance(value, dict) or "Dict" in str(annotation), f"{annotation} for {value}"
        return value
    if "actual_instance" in model.model_fields:
        return model(value)
    types = {field.alias or name: field.annotation for name, field in model.model_fields.items()}
    return model(**{name: typed(types[name], member) for name, member in value.items()})


@pytest.fixture
def unloaded() -> Iterator[None]:
    """Clients for Python have the same name whatever they are for."""
    yield
    for name in [name for name in sys.modules if name.partition(".")[0] == "openapi_client"]:
        del sys.modules[name]


@each_dimension
@pytest.mark.usefixtures("unloaded")
def test_the_client_for_python_does_every_operation(
    made: Path, service: Service, dimension: str, plural: str, element: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each body has the client's own type, each answer is read into one, and members that are new are no error."""
    monkeypatch.syspath_prepend(str(made / f"{dimension}-python"))
    client = importlib.import_module("openapi_client")
    configuration = client.Configuration(api_key={"apiKey": service.key})
    assert configuration.host == service.address
    api = getattr(client, f"{dimension.title()}Api")(client.ApiClient(configuration))

    def call(operation: str, status: int, *path: Any, **arguments: Any) -> Any:
        if "body" in arguments:
            parameters = inspect.signature(getattr(api, operation)).parameters
            name = next(name for name in parameters if name not in {"db_id", "id"})
            arguments[name] = typed(parameters[name].annotation, arguments.pop("body"))
        send = getattr(api, f"{operation}_with_http_info")
        if status >= 400:
            with pytest.raises(client.ApiException) as caught:
                send("northwind", *path, **arguments)
            assert caught.value.status == status
            return caught.value.data
        answer = send("northwind", *path, **arguments)
        assert answer.status_code == status
        return answer.data

    done = do_every_operation(call, dimension, plural, {**element, "id": "OpenAPI-Generator"})

    assert done == {name.removesuffix("_with_http_info") for name in dir(api) if name.endswith("_with_http_info")}
    models = importlib.import_module("openapi_client.models")
    found = {name: model for name, model in vars(models).items() if hasattr(model, "model_fields")}
    untyped = [
        f"{name}.{member}: {field.annotation}"
        for name, model in found.items()
        for member, field in model.model_fields.items()
        if "Any" in str(field.annotation)
        and not is_meant_untyped(name, member, field.annotation)
        and member != "actual_instance"
    ]
    assert untyped == []
    answered = json.loads(service.send("GET", f"{ADDRESSES[dimension]}/elements?take=1").body)[0]
    read = found[dimension.title()].from_dict({**answered, "ofALaterRelease": {"a": 1}})
    assert read.id == answered["id"]


ADDRESSES = {
    "currency": "/api/aih/dimensions/v1/northwind/currency",
    "account": "/dimensions/v1/northwind/account",
}


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_client_for_java_does_every_operation(made: Path, service: Service, dimension: str) -> None:
    """With the library that needs nothing but Java and Jackson, which OpenAPI Generator brings."""
    libraries = need_java_libraries("geronimo-annotation-1.3-spec")
    client = made / f"{dimension}-running-java"
    with importlib.resources.as_file(importlib.resources.files("openapi_generator_cli")) as package:
        path = ":".join(map(str, [client, package / "openapi-generator.jar", *libraries]))
        calls = HERE / "java" / f"{dimension.title()}Calls.java"
        sources = (client / "src" / "main").rglob("*.java")
        run("javac", "-nowarn", "-proc:none", "-d", client, "-cp", path, calls, *sources)
        assert run("java", "-cp", path, calls.stem, service.address, service.key).strip() == DONE


@pytest.mark.parametrize("dimension", DIMENSIONS)
def test_the_client_for_java_with_default_options_compiles(made: Path, dimension: str) -> None:
    """What is made of the document: models and operations. The only names that the compiler misses are those of
    libraries that Debian does not have (gson-fire, jackson-databind-nullable)."""
    libraries = need_java_libraries("gson", "okhttp", "okio", "commons-lang3", "jsr305", "geronimo-annotation-1.3-spec")
    client = made / f"{dimension}-java"
    sources = [str(file) for file in (client / "src" / "main").rglob("*.java")]
    # It goes on after the first errors, and looks at everything.
    options = ["-nowarn", "-proc:none", "-XDshould-stop.ifError=FLOW", "-Xmaxerrs", "10000", "-d", str(client)]
    # javac answers 1 for what is missing.
    printed = run(
        "sh", "-c", '"$@" 2>&1 || true', "sh", "javac", *options, "-cp", ":".join(map(str, libraries)), *sources
    )

    errors = re.split(r"(?m)^(?=\S+\.java:\d+: error:)", printed)[1:]
    assert errors
    others = [
        error for error in errors if not INDEPENDENT.search(error.partition(":")[0]) and not MISSING.search(error)
    ]
    assert others == []
