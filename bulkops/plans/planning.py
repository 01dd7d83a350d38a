"""Making plans: what a source would change, computed and kept, while nothing is changed (contract K4)."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import replace
from uuid import UUID, uuid4

import msgspec
from django.conf import settings
from django.db import connection, transaction
from django.db.models import Count, Q, Sum
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _

from bulkops.models import Plan, PlanAction, PlanChange, PlanStatus
from bulkops.plans.requests import PlanRequest
from bulkops.plans.scopes import ElementScope, narrowed
from bulkops.plans.sources import StateSource, Wanted
from bulkops.plans.stored import READ_TOGETHER, changes_of, role_of
from bulkops.plans.trial import PlanStep, PlanTrial
from bulkops.session.items import Envelope, operations
from bulkops.writers.databases import execute, insert_rows
from bulkops.writers.disk_lists import DiskList, DiskListFull, Items
from dimensions_site.api.errors import MAX_FAILURES, Problem
from dimensions_site.changes.models import Channel
from dimensions_site.changes.states import State
from dimensions_site.db.read_limits import limited_reads
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.writing.actors import Actor
from dimensions_site.repositories.models import Repository, Role
from dimensions_site.text.formats import grouped_number


def make_plan(
    dimension: Dimension,
    repository: Repository,
    actor: Actor,
    request: PlanRequest,
    *,
    state_of: Callable[[], tuple[Repository, State | None]],
    require: Callable[[Role], None],
) -> Plan:
    """Return a new plan of what the source in the `request` would change.

    `state_of` returns the repository and the state of a source that is one; `require` raises if `actor` has a smaller
    role than the one it is called with. Raises `Problem` 400 with the errors in what was sent. What the stored
    elements forbid are errors of the plan, which then cannot be applied.
    """
    room = _room(repository, dimension.name, actor.name)
    scope = ElementScope(dimension, repository, request.scope)
    with ExitStack() as stack, _refusing_full_lists():
        wanted: Wanted | None = None
        source = StateSource(scope, DiskList(stack, bytes, room))
        with limited_reads():
            if request.undo is not None:
                wanted = source.undo(request.undo, skips_conflicts=request.skips_conflicts)
            elif request.repository is not None or request.as_of is not None:
                wanted = source.state(*state_of())
        if wanted is not None:
            found = operations({"put": wanted.elements}, {"put": wanted.ids})
            envelope = Envelope(request.envelope.save_mode, found)
            request = replace(request, envelope=envelope, deletions=wanted.deletions)
        steps = DiskList(stack, PlanStep, room)
        trial = PlanTrial(scope, actor, request, steps)
        plan = Plan(
            id=UUID(actor.operation) if actor.operation else uuid4(),
            repository=repository,
            dimension=dimension.name,
            requester=actor.name,
            source=request.source,
            scope=request.scope,
            save_mode=request.envelope.save_mode,
            reason=request.reason,
            table_digest=request.table_digest,
        )
        _try(trial, wanted, plan)
        require(role_of(plan))
        plan.size = steps.size
        _store(plan, steps)
    plan.refresh_from_db()
    return plan


def plan_of_patches(
    dimension: Dimension,
    repository: Repository,
    user: str,
    patches: Items[msgspec.Raw],
    ids: Sequence[object] | None = None,
    *,
    table_digest: str | None = None,
) -> Plan:
    """Return a new plan of `patches` by an editor, who may make and apply it; errors name them by `ids`, if given.

    Raises `Problem` as `make_plan` does.
    """
    found = operations({"patch": patches}, {} if ids is None else {"patch": ids})
    return make_plan(
        dimension,
        repository,
        Actor(user, Channel.PLAN, str(uuid4())),
        PlanRequest(Envelope("LOOSE", found), table_digest=table_digest),
        state_of=lambda: (repository, None),
        require=lambda _role: None,
    )


def plan_without(plan: Plan, user: str, left_out: Sequence[str], require: Callable[[Role], None]) -> Plan:
    """Return a new plan that does what the `plan` does, but not to the elements with the ids `left_out`.

    Its scope names them, too. It is not tried: applying it checks the rules of saving, and that its elements are as
    they were when `plan` was made. `require` raises if the user has a smaller role than the one it is called with.
    Raises `Problem` as `make_plan` does.
    """
    scope = narrowed(plan.scope, "=out=", left_out)
    kept = changes_of(plan).exclude(element_id__in=left_out)
    counts = dict(kept.order_by().values_list("action").annotate(Count("pk")))
    made = Plan(
        id=uuid4(),
        repository=plan.repository,
        dimension=plan.dimension,
        requester=user,
        status=PlanStatus.READY,
        source=plan.source,
        scope=scope,
        save_mode=plan.save_mode,
        reason=plan.reason,
        unchanged=plan.unchanged,
        errors=[],
        **{action.value: counts.get(action, 0) for action in PlanAction},
    )
    require(role_of(made))
    with ExitStack() as stack, _refusing_full_lists():
        steps = DiskList(stack, PlanStep, _room(made.repository, made.dimension, user))
        for row in kept.values_list(*PlanStep._fields).iterator(chunk_size=READ_TOGETHER):
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


def _try(trial: PlanTrial, wanted: Wanted | None, plan: Plan) -> None:
    """Run the trial, and set what it found on the `plan`."""
    obstacles, count = ([], 0) if wanted is None else (wanted.obstacles, wanted.obstacle_count)
    try:
        plan.created, plan.changed, plan.unchanged = trial.run()
        plan.deleted, plan.not_found = trial.deleted, trial.not_found[:MAX_FAILURES]
        obstacles += trial.obstacles
        count += len(trial.obstacles)
    except Problem as problem:
        # The client did not send the elements of a state, which the rules of saving may still reject.
        if wanted is None or not problem.failures:
            raise
        obstacles += problem.failures
        count += problem.failure_count
    if wanted is not None:
        plan.unchanged = wanted.unchanged
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
    id = PlanChange._meta.get_field("plan").get_db_prep_save(plan.pk, connection)
    columns = ("plan_id", *PlanStep._fields)
    # Django's own insertion of many rows takes several times as long.
    insert_rows(PlanChange._meta.db_table, columns, ((id, *step) for step in steps))
