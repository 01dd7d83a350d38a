"""The calls in the documents get the answers that the documents show."""

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.core.management import call_command

from bulkops.worker.tasks import work
from dimensions_site.repositories.models import ApiKey, Repository
from dimensions_site.tokens.models import Application
from tests.docs.calls import LACKING, run_calls

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs" / "integrators").glob("*.md"))]


@pytest.mark.skipif(LACKING != "", reason=LACKING)
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_calls_of_the_documents_get_the_answers_that_they_show(page, live_server, tmp_path):
    """In the order of the page, in the demo repository; after each call a worker does what waits."""
    Repository.objects.create(db_id="demo", name="Demo group", default_language="en")
    call_command("fill_repository", "demo", verbosity=0)
    Repository.objects.create(db_id="demo-test", name="Demo group, test", default_language="en")
    user = User.objects.create_superuser("demo", password="secret")
    program = Application(name="documents", authorization_grant_type="client-credentials", user=user)
    program.full_clean()
    client = f"{program.client_id}:{program.client_secret}"
    program.save()
    environment = {
        "CLIENT": client,
        "AUTH": "demo:secret",
        "KEY": ApiKey.objects.create_key(user=user, name="documents")[1],
        "CURRENCY": f"{live_server.url}/api/aih/dimensions/v1/demo/currency",
        "ACCOUNT": f"{live_server.url}/dimensions/v1/demo/account",
        "SERVICE": live_server.url,
    }
    assert run_calls(page, environment, tmp_path, after_each=work) > 0
