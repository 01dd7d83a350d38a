"""Plans in words for people: their sources, errors and changes (contract K4 to K7)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import orjson
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy, ngettext

from bulkops.models import Plan, PlanChange
from dimensions_site.administration.base.described import description_of
from dimensions_site.administration.base.differences import ACTIONS, ShownDifference, values_of
from dimensions_site.administration.base.element_links import element_addresses
from dimensions_site.api.errors import Problem
from dimensions_site.elements.dimension import dimension_named
from dimensions_site.elements.history.changed_values import fields_of_json
from dimensions_site.elements.writing.differences import Difference, in_words
from dimensions_site.text.formats import grouped_number, moment
from dimensions_site.text.parsing import parse_timestamp

# How many errors the page lists.
LISTED_ERRORS = 100
# Problems and errors that name parts of a request, which people have not written.
_IN_WORDS = {
    "CHANGED_SINCE": gettext_lazy("It has changed since."),
    "HISTORY_EXPIRED": gettext_lazy("Old versions that this needs were purged. What they had cannot be brought back."),
    "TOO_MANY_DELETIONS": gettext_lazy("The proposal would delete more than its limit allows."),
    "TOO_MANY_CHANGES": gettext_lazy("The proposal changes too much at once. Restrict it by a filter."),
    "OUTSIDE_SCOPE": gettext_lazy("It does not match the filter, and only what matches may be changed."),
    "UNKNOWN_CHANGE_SET": gettext_lazy("There is nothing to undo: what was changed then is no longer stored."),
    "TOO_MANY_PLANS": gettext_lazy(
        "You have too many change proposals here that are not applied. Delete those that you no longer need."
    ),
    "PLANS_TOO_LARGE": gettext_lazy(
        "With this one, your change proposals here would become too large. Delete those that you no longer need, "
        "or restrict this one by a filter."
    ),
    "CONFLICT": gettext_lazy("Others are saving right now. Nothing was changed; try again in a few seconds."),
    "REPOSITORY_BUSY": gettext_lazy("Others are saving right now. Nothing was changed; try again in a few seconds."),
    "QUERY_TIMEOUT": gettext_lazy("This took too long and was stopped. Restrict it by a filter, and try again."),
    "TOO_MANY_LONG_READS": gettext_lazy("Others are reading a lot right now. Try again in a few seconds."),
    "PLAN_NOT_FOUND": gettext_lazy("The change proposal does not exist any more. Nothing was changed."),
    "PLAN_APPLIED": gettext_lazy("The change proposal is applied already."),
    "PLAN_INVALID": gettext_lazy("The change proposal has errors, so it cannot be applied."),
    "PLAN_OUTDATED": gettext_lazy("Nothing was changed: what the proposal concerns has changed since it was made."),
}


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


def lead(plan: Plan) -> str:
    """Return what people can do with the plan, or what happened to it."""
    if plan.status == "APPLIED":
        return _("The change proposal is applied.")
    if plan.status == "INVALID":
        return _("The change proposal cannot be applied. Nothing is changed.")
    if not (plan.created or plan.changed or plan.deleted):
        return _("There is nothing to do: all is as it should be.")
    return _("Nothing is changed yet. Check what would be changed, and apply it.")


def problem_words(problem: Problem) -> list[str]:
    """Return the sentences that say what is wrong: one for each error of a request, else one."""
    if problem.code in _IN_WORDS:
        return [str(_IN_WORDS[problem.code])]
    return [_error_words(one.code, one.message) for one in problem.failures] or [str(problem.detail)]


def refusal_words(problem: Problem) -> str:
    """Return why the plan was not applied; the errors of single elements are shown beside it."""
    if problem.code not in _IN_WORDS and problem.failures:
        return _("Nothing was changed: what the proposal would save is not allowed any more.")
    return problem_words(problem)[0]


def shown_errors(plan: Plan, errors: Sequence[Mapping[str, str]]) -> list[ShownError]:
    """Return the first of the `errors`, which are JSON as in responses, in words."""
    listed = errors[:LISTED_ERRORS]
    ids = {error["id"] for error in listed if "id" in error}
    addresses = element_addresses(dimension_named(plan.dimension), plan.repository, ids)
    return [
        ShownError(_error_words(error["code"], error["message"]), id, addresses.get(id, ""))
        for error in listed
        for id in [error.get("id", "")]
    ]


def _error_words(code: str, message: str) -> str:
    return str(_IN_WORDS.get(code, message))


def differences_of(plan: Plan, changes: Iterable[PlanChange]) -> Iterator[tuple[PlanChange, list[Difference]]]:
    """Yield each of the `changes` of the plan with its values before and after."""
    dimension = dimension_named(plan.dimension)
    for change in changes:
        after = None if change.after is None else orjson.loads(change.after)
        yield change, in_words(fields_of_json(dimension, change.changes, after))


def shown_changes(plan: Plan, changes: Sequence[PlanChange]) -> Iterator[ShownDifference]:
    """Yield the `changes` of the plan as a page shows them; an element that was never stored has no link."""
    ids = [change.element_id for change in changes]
    addresses = element_addresses(dimension_named(plan.dimension), plan.repository, ids)
    for change, values in differences_of(plan, changes):
        action = ACTIONS[change.action]
        yield ShownDifference(
            change.element_id,
            action,
            description_of(_descriptions(change, values), plan.repository),
            values_of(action, values),
            addresses.get(change.element_id, ""),
        )


def _descriptions(change: PlanChange, values: Iterable[Difference]) -> dict[str, str | None]:
    if change.after is not None:
        texts: dict[str, str | None] = orjson.loads(change.after)["descriptions"]
        return texts
    named = ((value.path.partition("."), value.before) for value in values)
    return {language: text for (field, _dot, language), text in named if field == "descriptions"}
