"""A service with a second repository, of which plans can be made."""

import pytest

from tests.live.clients.scenario import OTHER
from tests.services.clerk import errand
from tests.services.service import Service


@pytest.fixture(scope="session")
def service(service: Service, prepared: tuple[str, str]) -> Service:
    create = "from django.core.management import call_command"
    errand(prepared[0], f'{create}\ncall_command("create_repository", "{OTHER}", name="Another group")')
    return service
