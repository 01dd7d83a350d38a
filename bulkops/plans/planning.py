"""Making plans: what a source would change, computed and kept, while nothing is changed (contract K4)."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from functools import partial
from types import MappingProxyType
from uuid import UUID, uuid4

import msgspec
from django.conf import settings
from django.contrib.auth.models import User
from django.db import connection, transaction
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from bulkops.plans.notices import notify_deciders
from bulkops.plans.requests import PlanRequest
from bulkops.plans.scopes import ElementScope, narrowed
from bulkops.plans.sources import StateSource
from bulkops.plans.stored import READ_BATCH, changes_of
from bulkops.plans.trial import PlanStep, PlanTrial
from bulkops.session.databases import execute, insert_rows
from bulkops.session.disk_lists import DiskList, DiskListFull, Items
from bulkops.session.items import Envelope, all_operations
from dimensions_site.api.errors import MAX_FAILURES, Problem, check_all
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import Actor
from dimensions_site.changes.states import State
from dimensions_site.db.read_limits import limited_reads
from dimensions_site.elements.dimension import Dimension
from dimensions_site.repositories.models import Repository
from dimensions_site.text.formats import grouped_number


def make_plan(
    dimension: Dimension,
    repository: Repository,
    actor: Actor,
    request: PlanRequest,
    state_of: Callable[[], tuple[Repository, State | None]] | None = None,
) -> Plan:
    """Return a new plan of what the source in the `request` would change; a proposer may make any (contract O1).

    `state_of` returns the repository and the state where the request names one. Raises `Problem` 400 with the errors in
    what was sent. What the stored elements forbid are errors of the plan, which then cannot be applied.
    """
    room = _room(repository, dimension.name, actor.name)
    scope = ElementScope(dimension, repository, request.scope)
    with ExitStack() as stack, _refusing_full_lists():
        source: StateSource | None = None
        if any(name is not None for name in (request.undo, request.repository, request.as_of)):
            source = StateSource(scope, DiskList(stack, bytes, room))
            undone, named = request.undo, state_of or (lambda: (repository, None))
            with limited_reads():
                check_all(
                    request.envelope.failures,
                    (lambda: source.state(*named()))
                    if undone is None
                    else partial(source.undo, undone, skips_conflicts=request.skips_conflicts),
                )
            found = all_operations({"put": source.elements}, {"put": source.ids})
            envelope = replace(request.envelope, operations=found)
            request = replace(request, envelope=envelope, deletions=source.deletions)
        steps = DiskList(stack, PlanStep, room)
        trial = PlanTrial(scope, actor, request, steps)
        plan = Plan(
            id=UUID(actor.operation) if actor.operation else uuid4(),
            repository=repository,
            dimension=dimension.name,
            requester=actor.name,
            requester_key=actor.key,
            source=request.source,
            scope=request.scope,
            save_mode=request.envelope.save_mode,
            reason=request.reason,
            table_digest=request.table_digest,
        )
        _try(trial, source, plan)
        plan.size = steps.size
        _store(plan, steps)
    plan.refresh_from_db()
    return plan


def plan_of_patches(
    dimension: Dimension,
    repository: Repository,
    user: User,
    patches: Items[msgspec.Raw],
    ids: Sequence[object] | None = None,
    *,
    posts: Mapping[str, msgspec.Raw] = MappingProxyType({}),
    table_digest: str | None = None,
) -> Plan:
    """Return a new plan of `patches` by the `user`; errors name them by `ids`, if given.

    `posts` are new elements by their ids, which name them in errors.

    Raises `Problem` as `make_plan` does.
    """
    places = {"post": [*posts]} if ids is None else {"post": [*posts], "patch": ids}
    found = all_operations({"post": [*posts.values()], "patch": patches}, places)
    return make_plan(
        dimension,
        repository,
        Actor(user.get_username(), Channel.PLAN, str(uuid4()), key=user.pk),
        PlanRequest(Envelope("LOOSE", found), table_digest=table_digest),
    )


def plan_without(plan: Plan, user: User, left_out: Sequence[str]) -> Plan:
    """Return a new plan of the `user` that does what the `plan` does, but not to the elements with the ids `left_out`.

    Its scope names them, too. It is not tried: applying it checks the rules of saving, and that its elements are as
    they were when `plan` was made. An approval of `plan` is not one of the new plan. Raises `Problem` as `make_plan`
    does.
    """
    scope = narrowed(plan.scope, "=out=", left_out) if left_out else plan.scope
    kept = changes_of(plan).exclude(element_id__in=left_out)
    counts = dict(kept.order_by().values_list("action").annotate(Count("pk")))
    made = Plan(
        id=uuid4(),
        repository=plan.repository,
        dimension=plan.dimension,
        requester=user.get_username(),
        requester_key=user.pk,
        status=PlanStatus.READY,
        source=plan.source,
        scope=scope,
        save_mode=plan.save_mode,
        reason=plan.reason,
        unchanged=plan.unchanged,
        errors=[],
        **{action.value: counts.get(action, 0) for action in PlanAction},
    )
    with ExitStack() as stack, _refusing_full_lists():
        steps = DiskList(stack, PlanStep, _room(made.repository, made.dimension, made.requester))
        for row in kept.values_list(*PlanStep._fields).iterator(chunk_size=READ_BATCH):
            steps.append(PlanStep(*row))
        made.size = steps.size
        _store(made, steps)
    made.refresh_from_db()
    return made


def _room(repository: Repository, dimension: str, requester: str) -> int:
    """Return how many bytes the next plan may take. Raises `Problem` 409 if the client has too many plans already."""
    own = Plan.objects.filter(repository=repository, requester=requester)
    is_open = Q(dimension=dimension) & ~Q(status=PlanStatus.APPLIED)
    found = own.aggregate(open=Count("pk", filter=is_open), size=Coalesce(Sum("size"), 0))
    maximum: int = settings.PLAN_MAX_OPEN
    if found["open"] >= maximum:
        detail = _("You have {maximum} plans here that are not applied. Delete those that you no longer need.")
        raise Problem(409, "TOO_MANY_PLANS", detail.format(maximum=grouped_number(maximum)))
    room: int = settings.PLAN_MAX_BYTES - found["size"]
    return room


@contextmanager
def _refusing_full_lists() -> Iterator[None]:
    """Raise `Problem` 409 if the plan takes more bytes than the client has left."""
    try:
        yield
    except DiskListFull:
        detail = _(
            "With this plan, your plans in this repository would take more than {maximum} bytes, applied ones "
            "included. Delete those that you no longer need, or narrow the plan with a scope."
        )
        raise Problem(409, "PLANS_TOO_LARGE", detail.format(maximum=grouped_number(settings.PLAN_MAX_BYTES))) from None


def _try(trial: PlanTrial, source: StateSource | None, plan: Plan) -> None:
    obstacles, count = ([], 0) if source is None else (source.obstacles, source.obstacle_count)
    try:
        plan.created, plan.changed, plan.unchanged = trial.run()
        plan.deleted, plan.not_found = trial.deleted, trial.not_found[:MAX_FAILURES]
        if source is not None and plan.source.get("undo"):
            trial.obstacles += source.written_since((step.element_id, step.base) for step in trial.steps)
        obstacles += trial.obstacles
        count += len(trial.obstacles)
    except Problem as problem:
        # The client did not send the elements of a state, which the rules of saving may still reject.
        if source is None or not problem.failures:
            raise
        obstacles += problem.failures
        count += problem.failure_count
    if source is not None:
        plan.unchanged = source.unchanged
    plan.errors = [obstacle.as_json() for obstacle in obstacles[:MAX_FAILURES]]
    plan.error_count = count
    plan.status = PlanStatus.INVALID if obstacles else PlanStatus.READY


@transaction.atomic
def _store(plan: Plan, steps: DiskList[PlanStep]) -> None:
    # Plans that are made at the same time count each other. SQLite has one writer at a time.
    if connection.vendor == "postgresql":
        name = f"plans {plan.repository_id} {plan.requester}"
        execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [name])
    if plan.size > _room(plan.repository, plan.dimension, plan.requester):
        raise DiskListFull
    plan.save(force_insert=True)
    notify_deciders(plan)
    id = PlanChange._meta.get_field("plan").get_db_prep_save(plan.pk, connection)
    columns = ("plan_id", *PlanStep._fields)
    # Django's own insertion of many rows takes several times as long.
    insert_rows(PlanChange._meta.db_table, columns, ((id, *step) for step in steps))
