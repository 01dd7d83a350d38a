"""With the types that openapi-typescript generates from our documents, openapi-fetch does every operation."""

from pathlib import Path

import pytest

from tests.live.clients.tools import DONE, need_npm_tools, run
from tests.live.clients.typescript import compiled
from tests.services.service import Service

HERE = Path(__file__).parent


@pytest.mark.contract("H3", "M3")
def test_openapi_fetch_does_every_operation(service: Service, tmp_path: Path) -> None:
    """Compiled with `tsc --strict`, with bodies of the types of the document, which is that of all dimensions."""
    need_npm_tools()
    types = tmp_path / "schema.ts"
    run("openapi-typescript", f"{service.address}/openapi/dimensions.json", "--output", types)
    for calls in compiled(*sorted((HERE / "openapi_fetch").glob("*.ts")), client=types):
        assert run("node", calls, service.address, service.key).strip() == DONE
