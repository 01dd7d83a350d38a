"""The command that makes plans; all dimensions share it (contract K4)."""

from collections.abc import Iterator
from contextlib import ExitStack
from typing import Any
from uuid import uuid4

import msgspec
import structlog
from django.core.management.base import CommandError, CommandParser

from bulkops.command_line.files import FileCommand, mapping_of, open_input, reason_of
from bulkops.command_line.progress import ShowProgress, interruptible, show_progress
from bulkops.files.imports.options import MAX_DELETE, Mode, Options
from bulkops.files.imports.reading import FileReader
from bulkops.files.imports.reports import ImportRefused
from bulkops.models import Plan, PlanStatus
from bulkops.plans.planning import make_plan
from bulkops.plans.requests import PlanRequest
from bulkops.plans.stored import changes_of
from bulkops.session.errors import Refused
from bulkops.session.items import Envelope, SaveMode, all_operations
from dimensions_site.api.errors import Problem
from dimensions_site.api.json.texts import shown_value
from dimensions_site.changes.models import Channel
from dimensions_site.changes.placing import SYSTEM, Actor
from dimensions_site.changes.states import State
from dimensions_site.elements.history.moments import state_of_moment
from dimensions_site.observability.observation import Observed, observing
from dimensions_site.repositories.arguments import find_repository
from dimensions_site.repositories.models import Repository

log = structlog.get_logger(__name__)

# How many elements are shown with their changes.
_SAMPLES = 50
# The options behind the places of errors in a plan's request.
_OPTIONS = {"/repository": "--repository", "/scope": "--scope", "/undo": "--undo", "/maxDelete": "--max-delete"}


class PlanCommand(FileCommand):
    """Makes a plan for one dimension of a repository; a subclass names the dimension."""

    is_file_optional = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--mode",
            choices=[str(Mode.SYNC), str(Mode.MERGE)],
            help="what the file is: the complete dimension, so that other elements are to be deleted (sync, the "
            "default), or elements to create and change (merge)",
        )
        parser.add_argument("--repository", metavar="DBID", help="instead of a file: make it equal to this repository")
        parser.add_argument(
            "--as-of", metavar="INSTANT", help="instead of a file: as it was then, such as 2026-03-31T22:00:00Z"
        )
        parser.add_argument("--undo", metavar="ID", help="instead of a file: undo this change set, import or plan")
        parser.add_argument(
            "--skip-conflicts", action="store_true", help="leave out of --undo what was changed again since"
        )
        parser.add_argument("--scope", help="touch nothing outside this filter, in RSQL as on REST")

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the plan. Raises CommandError if none was made, or if it has errors."""
        _check_sources(options)
        repository = find_repository(options["db_id"])
        reason = reason_of(options["reason"], repository, refusal="No plan was made", is_trial=True)
        actor = Actor(SYSTEM, Channel.PLAN, str(uuid4()), reason)
        try:
            with (
                observing(Observed(repository=repository.db_id, dimension=self.dimension.name)),
                interruptible("Stopped. No plan was made."),
                show_progress() as show,
            ):
                plan = self._made(repository, actor, options, show)
                log.info("plan_made", plan=str(plan.pk))
        except ImportRefused as refusal:
            raise self.refused("No plan was made", refusal) from None
        except Problem as problem:
            raise CommandError("\n".join(["No plan was made:", *_lines(problem)])) from None
        except OSError as error:
            raise CommandError(f"No plan was made: {error.strerror}.") from None
        self._print(plan, repository)

    def _made(self, repository: Repository, actor: Actor, options: dict[str, Any], show: ShowProgress) -> Plan:
        file: FileReader | None = None
        with ExitStack() as stack:
            try:
                if options["file"] is not None:
                    mapping = mapping_of(options["map"])
                    chosen = Options(strict=options["strict"], mapping=mapping, checks_repeated=False)
                    file = FileReader(self.dimension, repository, chosen, stack, progress=show)
                    with open_input(options["file"]) as content, self.source(content, options) as source:
                        file.read(source)
                save_mode: SaveMode = "STRICT" if options["strict"] else "LOOSE"
                request = PlanRequest(
                    Envelope(save_mode, all_operations({})) if file is None else file.envelope(),
                    is_snapshot=file is not None and options["mode"] != Mode.MERGE,
                    repository=options["repository"],
                    as_of=options["as_of"],
                    undo=options["undo"],
                    skips_conflicts=options["skip_conflicts"],
                    scope=options["scope"],
                    max_delete=options["max_delete"] or MAX_DELETE,
                    reason=actor.reason,
                )
                return make_plan(
                    self.dimension,
                    repository,
                    actor,
                    request,
                    state_of=lambda: self._state(repository, options["repository"], options["as_of"]),
                )
            except Refused as refusal:
                raise refusal if file is None else ImportRefused(file.report()) from None

    def _state(self, repository: Repository, other: str | None, moment: str | None) -> tuple[Repository, State | None]:
        """Return the repository and the state that the options name. Raises CommandError and `Problem`."""
        found = repository if other is None else find_repository(other)
        return found, None if moment is None else state_of_moment("--as-of", moment, found, self.dimension.name)

    def _print(self, plan: Plan, repository: Repository) -> None:
        for id, action, text in changes_of(plan).values_list("element_id", "action", "changes")[:_SAMPLES]:
            self.stdout.write(f"{action}: {id}")
            for change in [] if action == "deleted" else msgspec.json.decode(text):
                values = f"{shown_value(change['before'])} -> {shown_value(change['after'])}"
                entry = f", entry {change['entry']}" if "entry" in change else ""
                self.stdout.write(f"  {change['path']}: {values}{entry}")
        self.stdout.write(f"Plan {plan.pk} of {repository.db_id}: {counts_text(plan)}.")
        if plan.status == PlanStatus.READY:
            self.stdout.write(f"Apply it with: manage.py apply_plan {repository.db_id} {plan.pk}")
            return
        for error in plan.errors:
            self.stderr.write(error["message"])
        count = f"{plan.error_count:,} error{'' if plan.error_count == 1 else 's'}"
        raise CommandError(f"The plan has {count} and cannot be applied.")


def counts_text(plan: Plan) -> str:
    """Return the counts of the plan for people."""
    return f"{plan.created:,} created, {plan.changed:,} changed, {plan.unchanged:,} unchanged, {plan.deleted:,} deleted"


def _check_sources(options: dict[str, Any]) -> None:
    """Raise CommandError unless there is exactly one source, with options that belong to it, and no empty scope."""
    state = "--repository or --as-of"
    given = {
        "FILE": options["file"] is not None,
        state: options["repository"] is not None or options["as_of"] is not None,
        "--undo": options["undo"] is not None,
    }
    if sum(given.values()) != 1:
        got = ", ".join(name for name, is_given in given.items() if is_given) or "none of them"
        raise CommandError(f"A plan needs exactly one source: FILE, {state}, or --undo; got {got}.")
    for name in ("mode", "map", "format", "encoding", "sheet", "heading_row"):
        if options[name] and not given["FILE"]:
            raise CommandError(f"--{name.replace('_', '-')} needs FILE.")
    if options["skip_conflicts"] and not given["--undo"]:
        raise CommandError("--skip-conflicts needs --undo.")
    # A variable of a script that is not set must not mean every element.
    if options["scope"] is not None and not options["scope"].strip():
        raise CommandError("--scope is empty. Name a filter, or leave it out to plan for all elements.")


def _lines(problem: Problem) -> Iterator[str]:
    if not problem.failures:
        yield str(problem.detail)
    for failure in problem.failures:
        option = _OPTIONS.get(failure.path)
        yield failure.message if option is None else f"{option}: {failure.message}"
