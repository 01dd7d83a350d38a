"""Which release runs: for programs at `/version`, for people at the foot of each page."""

import subprocess
import tomllib
from collections.abc import Iterator
from typing import Any

import pytest
from django.conf import settings as django_settings
from django.test import Client

from dimensions_site.monitoring import StateCollector
from dimensions_site.observability import observation

pytestmark = pytest.mark.contract("M6")

VERSION = tomllib.loads((django_settings.BASE_DIR / "pyproject.toml").read_text())["project"]["version"]


@pytest.fixture(autouse=True)
def fresh() -> Iterator[None]:
    observation.running_release.cache_clear()
    yield
    observation.running_release.cache_clear()


def test_anybody_may_ask_which_release_runs(client: Client, settings: Any) -> None:
    settings.COMMIT = "0123456789abcdef"
    response = client.get("/version")
    assert (response.status_code, response.json()) == (200, {"version": VERSION, "commit": "0123456789abcdef"})
    assert "no-store" in response["Cache-Control"]
    assert (client.head("/version").status_code, client.post("/version").status_code) == (200, 405)


def test_without_the_setting_it_is_the_commit_of_the_checkout(client: Client, settings: Any, tmp_path: Any) -> None:
    settings.COMMIT = ""
    git = ["git", "-c", "user.name=A", "-c", "user.email=a@example.com"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "First"]):
        subprocess.run([*git, *command], cwd=tmp_path, check=True)
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=tmp_path, check=True, capture_output=True, text=True)
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "9.9.9"\n')
    settings.BASE_DIR = tmp_path
    assert client.get("/version").json() == {"version": "9.9.9", "commit": head.stdout.strip()}


def test_without_either_it_is_unknown(client: Client, settings: Any, tmp_path: Any) -> None:
    settings.COMMIT, settings.BASE_DIR = "", tmp_path
    (tmp_path / "pyproject.toml").write_text('[project]\nversion = "9.9.9"\n')
    assert client.get("/version").json() == {"version": "9.9.9", "commit": None}


@pytest.mark.django_db
def test_metrics_name_it(settings: Any) -> None:
    """So a rising rate of errors can be laid beside the release that came before it."""
    settings.COMMIT = "0123456789abcdef"
    (sample,) = next(family for family in StateCollector().collect() if family.name == "dimensions_release").samples
    assert (sample.labels, sample.value) == ({"version": VERSION, "commit": "0123456789abcdef"}, 1)


@pytest.mark.parametrize("path", ["/admin/", "/admin/account/account/", "/admin/password_change/", "/admin/nothing/"])
def test_each_page_of_the_administration_ends_with_it(admin_client: Client, settings: Any, path: str) -> None:
    settings.COMMIT = "0123456789abcdef"
    text = admin_client.get(path).content.decode()
    assert f"{VERSION} (0123456)</footer>" in text


def test_the_page_to_sign_in_ends_with_it(client: Client, db: None, settings: Any) -> None:
    settings.COMMIT = "0123456789abcdef"
    assert f"{VERSION} (0123456)</footer>" in client.get("/admin/login/").content.decode()
