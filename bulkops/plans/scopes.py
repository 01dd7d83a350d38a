"""The scope of a plan: nothing outside it is touched (contract K4)."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Exists, Func, OuterRef, Q, QuerySet
from django.db.models.sql.compiler import SQLCompiler
from django.utils.translation import gettext as _

from bulkops.session.databases import execute
from dimensions_site.api.errors import Failure, bad_request
from dimensions_site.changes.states import current_state
from dimensions_site.changes.versions import versions_written_in
from dimensions_site.db.read_limits import limited_reads
from dimensions_site.db.shards import is_sharded
from dimensions_site.elements.dimension import Dimension
from dimensions_site.elements.reading.filters import ElementFields, ElementFilter, ElementFilterSet
from dimensions_site.repositories.models import Repository
from dimensions_site.rsql.errors import RsqlError, UnknownField
from dimensions_site.rsql.fields import Field
from dimensions_site.rsql.operators import BY_SYMBOL
from dimensions_site.rsql.parser import And, Comparison, parse, write

# Applying the plan writes it, so it cannot say what the plan may touch.
_WRITTEN = "updateInfo"


class ElementScope:
    """The elements that match a filter, or all of them without one.

    Finding them may take long, so `keep` does it once, before others have to wait, and as a read that has a limit.
    """

    def __init__(self, dimension: Dimension, repository: Repository, text: str | None) -> None:
        """Raises `Problem` 400 with the errors in the filter."""
        self.dimension = dimension
        self.repository = repository
        self._text = text
        # Of elements in other repositories, too.
        self.filter = ElementFilter(dimension, repository, text)
        self._stored = dimension.model.of(repository)
        self._versions = dimension.model.versions_of(repository)
        filtered = self._filtered(self._stored)
        if filtered.failures:
            raise bad_request([replace(failure, path="/scope") for failure in filtered.failures])

    def __bool__(self) -> bool:
        return self._text is not None

    def keep(self) -> None:
        """Keep the ids of the stored elements in the scope, for `kept`, in a temporary table."""
        if not self:
            return
        self._state, _horizon = current_state(self.repository.pk, self.dimension.name)
        lifetime = "ON COMMIT DROP" if connection.vendor == "postgresql" else ""
        execute("DROP TABLE IF EXISTS plan_scope")
        execute(f"CREATE TEMPORARY TABLE plan_scope (element_id text PRIMARY KEY) {lifetime}")
        self._add(self._stored)

    def renew(self) -> None:
        """Look again at the elements that others have written since `keep`."""
        if not self:
            return
        before, (self._state, _horizon) = self._state, current_state(self.repository.pk, self.dimension.name)
        if before != self._state:
            changed = _ids(versions_written_in(self._versions, before.later()))
            _execute("DELETE FROM plan_scope WHERE element_id IN ({query})", changed)
            self._add(self._stored.filter(element_id__in=changed))

    def _add(self, rows: QuerySet[Any]) -> None:
        with limited_reads():
            _execute("INSERT INTO plan_scope {query}", _ids(self.within(rows)))

    def within(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        found: QuerySet[Any] = self._filtered(rows).qs.order_by()
        return found

    def outside(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        same = self._stored if rows.model is self.dimension.model else self._versions
        return rows.filter(~Exists(self.within(same).filter(pk=OuterRef("pk"))))

    def kept(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        """Return those of the `rows` whose elements were in the scope when they were looked at."""
        return rows.filter(_IsKept("element_id")) if self else rows

    def not_kept(self, rows: QuerySet[Any]) -> QuerySet[Any]:
        return rows.filter(~Q(_IsKept("element_id")))

    def late(self, versions: QuerySet[Any]) -> QuerySet[Any]:
        """Return those of the `versions` that others have written after the last look."""
        return versions.filter(change_set__in=self._state.later().values("pk"))

    def _filtered(self, rows: QuerySet[Any]) -> ElementFilterSet:
        table = _ScopeFields(self.dimension, self.repository.default_language)
        return ElementFilterSet({"filter": self._text or ""}, rows, table=table)


class _IsKept(Func):
    """Whether an element with this id was in the scope."""

    template = "EXISTS (SELECT 1 FROM plan_scope AS kept WHERE kept.element_id = %(expressions)s)"
    output_field = BooleanField()
    conditional = True

    def as_postgresql(self, compiler: SQLCompiler, connection: BaseDatabaseWrapper) -> tuple[str, Sequence[Any]]:
        """Return the condition; where elements are in shards, the ids go there first."""
        in_shard = "%(expressions)s = ANY(ARRAY(SELECT element_id FROM plan_scope))"
        return self.as_sql(compiler, connection, template=in_shard if is_sharded() else None)


def _ids(rows: QuerySet[Any]) -> QuerySet[Any]:
    return rows.order_by().values("element_id")


def _execute(statement: str, query: QuerySet[Any]) -> None:
    sql, parameters = query.query.get_compiler(connection=connection, elide_empty=False).as_sql()
    execute(statement.replace("{query}", sql), parameters)


class _ScopeFields(ElementFields):
    def resolve(self, selector: str) -> Field:
        field = super().resolve(selector)
        if field.path.partition(".")[0] == _WRITTEN:
            message = _("A scope must not name {name}: applying the plan changes it.")
            raise UnknownField(message.format(name=field.path))
        return field


def narrowed(scope: str | None, operator: str, ids: Sequence[str]) -> str:
    """Return the `scope` without all elements but those with the `ids`, or without these: `=in=` or `=out=`.

    Raises `Problem` 400 if the filter becomes too long.
    """
    chosen = Comparison("id", BY_SYMBOL[operator], tuple(ids), 1)
    text = write(And((parse(scope), chosen)) if scope else chosen)
    try:
        parse(text)
    except RsqlError as error:
        raise bad_request([Failure("/scope", error.code, error.message)]) from None
    return text
