"""The tables of events, metrics and alerts are complete, and list nothing else."""

import ast
import re
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from django.conf import settings
from django.db.models.functions import Now

from bulkops.models import Worker
from dimensions_site.monitoring import StateCollector
from dimensions_site.observability import metrics
from dimensions_site.repositories import audit
from tests.docs.test_docs import FOR_OPERATORS, ROOT, table, text_of

ALERTS = ROOT / "docs" / "deploy" / "prometheus-alerts.yml"
# What the libraries log for the service, and django-q in its own words.
OF_LIBRARIES = {
    "request_started": "debug",
    "request_finished": "info",
    "request_failed": "error",
    "streaming_started": "debug",
    "streaming_finished": "info",
    "streaming_failed": "error",
    "reincarnated worker … after death": "critical",
}


def logged() -> Iterator[tuple[str, str]]:
    """Each event that the code logs by its name, with its level."""
    for package in ("account", "bulkops", "currency", "dimensions_site"):
        for file in (ROOT / package).rglob("*.py"):
            for call in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
                match call:
                    case ast.Call(
                        func=ast.Attribute(value=ast.Name("log"), attr=level), args=[ast.Constant(str(event)), *_]
                    ):
                        yield event, level.replace("exception", "error")
                    case ast.Call(func=ast.Name("attempt"), args=[_, ast.Constant(str(event))]):
                        yield event, "error"
                    case ast.Call(func=ast.Name("record_event"), args=[ast.Constant(str(event)), *_]):
                        yield event, "info"


def rights_changes() -> Iterator[tuple[str, str]]:
    for name in (subject.name for subject in audit.SUBJECTS.values()):
        for change in ("created", "changed", "deleted"):
            yield f"{name}_{change}", "info"


def rows(heading: str) -> Iterator[tuple[str, list[str]]]:
    """Each name in the first column of a table, with the other cells of its row."""
    for first, *others in table(FOR_OPERATORS, heading):
        for name in re.findall("`(.+?)`", first):
            yield name, others


def test_the_table_of_events_has_every_event_with_its_level():
    documented = {event: level for event, (level, _) in rows("Events")}
    assert documented == {**dict(logged()), **dict(rights_changes()), **OF_LIBRARIES}


def test_the_levels_of_requests_are_those_of_the_settings():
    """The library's own would warn of each refused request."""
    assert settings.DJANGO_STRUCTLOG_STATUS_4XX_LOG_LEVEL == 20
    assert settings.DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL == 10


@pytest.mark.django_db
def test_the_table_of_metrics_has_every_metric_with_its_type_and_labels():
    Worker.objects.create(name="alive", beat_at=Now())
    there = {}
    collectors: Any = metrics.REGISTRY._names_to_collectors
    for collector in collectors.values():
        name = f"{collector._name}_total" if collector._type == "counter" else collector._name
        there[name] = [collector._type, ", ".join(collector._labelnames)]
    for family in StateCollector().collect():
        there[family.name] = [family.type, ", ".join(family.samples[0].labels)]
    assert {name: [kind, labels] for name, (kind, labels, _) in rows("Metric names")} == there


# --- Alerts ------------------------------------------------------------------------------------


def alerts() -> dict[str, dict[str, object]]:
    (group,) = yaml.safe_load(ALERTS.read_text(encoding="utf-8"))["groups"]
    return {rule["alert"]: rule for rule in group["rules"]}


def test_the_table_of_alerts_has_every_rule():
    """Whoever is woken by an alert finds what to do."""
    assert [name for name, _ in rows("Alerts") if name.startswith("Dimensions")] == list(alerts())


def test_rules_ask_for_metrics_and_labels_that_there_are():
    """A misspelled name never fires."""
    described = {name: set(labels.split(", ")) for name, (_, labels, _) in rows("Metric names")}
    for name, rule in alerts().items():
        expression = str(rule["expr"])
        asked = re.findall(r"\b(dimensions_\w+)(?:\{(.*?)\})?", expression.replace("\n", " "))
        assert asked or name == "DimensionsDown"
        for metric, selector in asked:
            labels = described[metric.removesuffix("_bucket")]
            assert set(re.findall(r"(\w+)\s*(?:=~|!=|=)", selector)) <= labels, name
        assert expression.count("(") == expression.count(")")
        assert {"labels", "annotations"} <= set(rule)


def test_the_file_is_named_where_operators_read():
    assert f"(../{ALERTS.relative_to(ROOT / 'docs')})" in text_of(FOR_OPERATORS)
