"""What Containerfile and compose.yaml say, compared with the project; `make container-check` runs them."""

import re
import subprocess

import pytest

from tests.containers.compose import compose
from tests.packages import PACKAGES
from tests.services.guide import run
from tests.services.service import PROJECT

RECIPE = (PROJECT / "Containerfile").read_text()
WORDS = dict.fromkeys(("SECRET_KEY", "SERVER_NAME", "POSTGRES_PASSWORD", "REDIS_PASSWORD"), "word")
SERVICES = compose(WORDS)
PICTURES = "docs/images/administrators"
# Of the help within the administration, beside English.
LANGUAGES = ("de", "es", "fr", "it")
FOLDERS = {*PACKAGES, "templates", PICTURES, *(f"docs/{language}" for language in LANGUAGES)}
# The help within the administration.
HELP = {"docs/administrators.md", "docs/words.md"}


def test_the_image_holds_the_whole_service_and_its_locked_libraries():
    copied = set(re.findall(r"^COPY (\S+) \1$", RECIPE, re.MULTILINE))
    assert copied == FOLDERS
    assert "COPY manage.py gunicorn.conf.py pyproject.toml ./" in RECIPE
    assert f"COPY {' '.join(sorted(HELP))} docs/" in RECIPE
    assert "--require-hashes -r requirements.lock" in RECIPE


def test_nothing_gets_into_the_image_unless_it_is_named():
    """Neither `.env` nor `.run`, which hold secrets, and no database."""
    lines = [line for line in (PROJECT / ".dockerignore").read_text().splitlines() if line and not line.startswith("#")]
    assert lines[0] == "*"
    named = {line.removeprefix("!") for line in lines if line.startswith("!")}
    assert named == {*FOLDERS, *HELP, "manage.py", "gunicorn.conf.py", "pyproject.toml", "requirements.lock"}


def test_the_image_runs_as_a_user_without_privileges_and_is_asked_for_its_health():
    stages = RECIPE.split("\nFROM ")
    assert re.search(r"^USER dimensions$", stages[-1], re.MULTILINE)
    assert re.search(r"^HEALTHCHECK .*\\\n +CMD .*/health/live", stages[-1], re.MULTILINE)
    assert stages[-1].index("USER") < stages[-1].index("\nCMD")


@pytest.mark.parametrize("service", ["migrations", "web", "worker"])
def test_the_settings_of_the_containers_are_settings_of_the_service(service: str):
    """Each is in the table of docs/operators/settings.md, and the processes share them."""
    documented = re.findall(
        r"^\| `([A-Z_]+)` \|", (PROJECT / "docs" / "operators" / "settings.md").read_text(), re.MULTILINE
    )
    assert set(SERVICES[service]["environment"]) <= set(documented)
    assert SERVICES[service]["environment"] == SERVICES["web"]["environment"]
    assert {type(value) for value in SERVICES[service]["environment"].values()} == {str}, "the check runs with them"
    assert SERVICES[service]["cap_drop"] == ["ALL"]


def test_nginx_is_given_each_word_that_its_file_asks_for():
    file = (PROJECT / "docs" / "deploy" / "nginx.conf").read_text()
    lines = [line for line in file.splitlines() if not line.lstrip().startswith("#")]
    asked = set(re.findall(r"\$\{([A-Z_]+)\}", "".join(lines)))
    assert asked == set(SERVICES["nginx"]["environment"])
    assert SERVICES["nginx"]["environment"]["UPSTREAM"] == SERVICES["web"]["environment"]["BIND"]


def test_only_nginx_is_reached_from_outside():
    assert [name for name, service in SERVICES.items() if "ports" in service] == ["nginx"]


def test_the_secrets_of_the_guide_are_those_that_compose_asks_for(tmp_path):
    """The commands of "Containers" write them, readable by their owner alone, with a certificate."""
    block = re.search(
        r"^## Containers\n.*?^```sh\n(.*?)^```$", (PROJECT / "docs/operators/installing.md").read_text(), re.S | re.M
    )
    assert block is not None
    run(block[1], tmp_path, "sqlite://")
    file = tmp_path / ".env"
    assert file.stat().st_mode & 0o077 == 0
    values = dict(line.split("=", 1) for line in file.read_text().splitlines())
    assert set(values) == set(WORDS)
    assert len(values["SECRET_KEY"]) >= 50
    assert compose(values)["web"]["environment"]["ALLOWED_HOSTS"] == "erp.example.com,localhost"
    assert (tmp_path / "tls" / "certificate.pem").read_text().startswith("-----BEGIN CERTIFICATE-----")


@pytest.mark.parametrize("how", [["."], ["--editable", "."]], ids=["plain", "editable"])
def test_pip_is_answered_with_a_sentence_that_says_how_to_install(how: list[str], tmp_path):
    """Nothing is installed, and nothing is left in the folder."""
    before = sorted(PROJECT.iterdir())
    pip = ["python", "-m", "pip", "install", "--no-index", "--target", str(tmp_path), *how]
    done = subprocess.run(pip, cwd=PROJECT, capture_output=True, encoding="utf-8", check=False)
    assert done.returncode != 0
    assert "is not installed as a package. `make run` starts it" in done.stderr + done.stdout
    assert list(tmp_path.iterdir()) == []
    assert sorted(PROJECT.iterdir()) == before
