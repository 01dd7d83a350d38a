"""Plans in words for people: their sources, errors and changes (contract K4 to K7)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from dimensions_site.administration.base.differences import CHANGE_OF_ACTION, ShownDifference, values_of
from dimensions_site.administration.base.naming import description_of, element_addresses
from dimensions_site.administration.proposals import failure_words, has_words, problem_words
from dimensions_site.api.errors import Problem
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.writing.differences import Difference, differences_in_words, fields_of_json
from dimensions_site.text.formats import grouped_number, moment, parse_timestamp

# What the parts of a plan are called once it is applied, and before.
_PARTS = {
    PlanAction.CREATED: (gettext_lazy("created"), gettext_lazy("to be created")),
    PlanAction.CHANGED: (gettext_lazy("changed"), gettext_lazy("to be changed")),
    PlanAction.DELETED: (gettext_lazy("deleted"), gettext_lazy("to be deleted")),
}
# How many errors the page lists.
LISTED_ERRORS = 100


@dataclass(frozen=True)
class ShownError:
    """An error in words, with the id and the URL of its element, which may be empty."""

    text: str
    id: str = ""
    address: str = ""


def source_words(plan: Plan) -> str:
    """Return what the plan was made from."""
    source: Mapping[str, Any] = plan.source
    if plan.table_digest is not None:
        return _("Edited as a table")
    if "snapshot" in source:
        message = ngettext(
            "A complete list with %(count)s entry", "A complete list with %(count)s entries", source["snapshot"]
        )
        return message % {"count": grouped_number(source["snapshot"])}
    if "bulk" in source:
        message = ngettext("Changes to %(count)s row", "Changes to %(count)s rows", source["bulk"])
        return message % {"count": grouped_number(source["bulk"])}
    if "undo" in source:
        if "onConflict" in source:
            return _("Undo, except for what was changed again since")
        return _("Undo")
    words = {"repository": source.get("repository"), "when": _instant(source.get("asOf"))}
    if "repository" not in source:
        return _("Back to the state of %(when)s") % words
    if "asOf" in source:
        return _("Copy from %(repository)s as of %(when)s") % words
    return _("Copy from %(repository)s") % words


def _instant(text: str | None) -> str:
    try:
        return moment(parse_timestamp(text or ""))
    except ValueError:
        return _("an earlier moment")  # a token


def needs_approval(plan: Plan) -> bool:
    """Return whether the `plan` can only be applied with an approval (contract O2)."""
    return plan.repository.approval_of(plan.dimension).requires(deletes=plan.deleted > 0)


def status_words(plan: Plan) -> str:
    """Return the state of the `plan`."""
    if plan.status == "READY" and needs_approval(plan):
        return _("waiting for approval")
    return plan.get_status_display()


def parts_of(plan: Plan) -> Mapping[PlanAction, Any]:
    """Return what each part of the `plan` is called: done, or to be done."""
    return {action: names[plan.status != PlanStatus.APPLIED] for action, names in _PARTS.items()}


def effect_words(plan: Plan) -> str:
    """Return what the plan does, or has done, such as `3 to be created · 1 to be deleted`; empty if it does nothing."""
    counts = [(getattr(plan, action.value), name) for action, name in parts_of(plan).items()]
    return " · ".join(f"{grouped_number(count)} {name}" for count, name in counts if count)


def lead(plan: Plan) -> str:
    """Return what people can do with the plan, or what happened to it."""
    if plan.status == "APPLIED":
        return _("The change proposal is applied.")
    if plan.status == "REJECTED":
        return _("The change proposal was rejected. Nothing is changed.")
    if plan.status == "OUTDATED":
        return _("What the change proposal concerns has changed since it was made. Nothing is changed.")
    if plan.status == "INVALID":
        return _("The change proposal cannot be applied. Nothing is changed.")
    if not (plan.created or plan.changed or plan.deleted):
        return _("There is nothing to do: all is as it should be.")
    if plan.status == "APPROVED":
        return _("Nothing is changed yet. The change proposal is approved and can be applied.")
    if needs_approval(plan):
        return _("Nothing is changed yet. It waits for the approval of a second person.")
    return _("Nothing is changed yet. Check what would be changed, and apply it.")


def refusal_words(problem: Problem) -> str:
    """Return why the plan was not applied; the errors of single elements are shown beside it."""
    if problem.failures and not has_words(problem):
        return _("Nothing was changed: what the proposal would save is not allowed any more.")
    return problem_words(problem)[0]


def shown_errors(plan: Plan, errors: Sequence[Mapping[str, str]]) -> list[ShownError]:
    """Return the first of the `errors`, which are JSON as in responses, in words."""
    listed = errors[:LISTED_ERRORS]
    ids = {error["id"] for error in listed if "id" in error}
    addresses = element_addresses(dimension_named(plan.dimension), plan.repository, ids)
    return [
        ShownError(failure_words(error["code"], error["message"]), id, addresses.get(id, ""))
        for error in listed
        for id in [error.get("id", "")]
    ]


def differences_of(plan: Plan, changes: Iterable[PlanChange]) -> Iterator[tuple[PlanChange, list[Difference]]]:
    """Yield each of the `changes` of the plan with its values before and after."""
    dimension = dimension_named(plan.dimension)
    for change in changes:
        yield change, differences_in_words(fields_of_json(dimension, change.changes))


def shown_changes(plan: Plan, changes: Sequence[PlanChange]) -> Iterator[ShownDifference]:
    """Yield the `changes` of the plan as a page shows them; an element that was never stored has no link."""
    ids = [change.element_id for change in changes]
    addresses = element_addresses(dimension_named(plan.dimension), plan.repository, ids)
    parts = parts_of(plan)
    for change, values in differences_of(plan, changes):
        action = CHANGE_OF_ACTION[change.action]
        yield ShownDifference(
            change.element_id,
            action,
            description_of(_descriptions(change, values), plan.repository),
            values_of(action, values),
            addresses.get(change.element_id, ""),
            # Done, it is what the action is called; the words of the parts are about many.
            "" if plan.status == PlanStatus.APPLIED else str(parts[PlanAction(change.action)]),
        )


def _descriptions(change: PlanChange, values: Iterable[Difference]) -> dict[str, str | None]:
    if change.after is not None:
        texts: dict[str, str | None] = orjson.loads(change.after)["descriptions"]
        return texts
    named = ((value.path.partition("."), value.before) for value in values)
    return {language: text for (field, _dot, language), text in named if field == "descriptions"}
