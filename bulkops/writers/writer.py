"""Writes many elements at once: their rows are staged beside the table, and then written in whole by a few statements.

    with writer.staging():
        writer.stage(entries)               as often as there are entries; nothing is locked yet
        with writing_many(repository):
            writer.plan()                   what each entry means for what is stored
            writer.write(stamp)

An entry is the position of an element in the request, whether it has to be new, its id, and the values of its
columns; of an element with a fault no values are staged, but its id is, so that all is said about it.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any, ClassVar

from django.db import connection
from django.db.models import QuerySet
from django.db.models.expressions import RawSQL

from bulkops.writers.entry import Clash, Entry
from dimensions_site.elements import history
from dimensions_site.elements.actors import Stamp
from dimensions_site.elements.lookup import with_keys
from dimensions_site.elements.models import Element
from dimensions_site.elements.saving import follow_up
from dimensions_site.repositories.models import Repository
from dimensions_site.repositories.write_counts import count_write
from dimensions_site.telemetry.observation import count_written

# Temporary tables: seen by this connection only, and gone at the end. `bulk_rows` has the elements of the request with
# their columns, `bulk_faulty` the ids of those with a fault; `bulk_plan` says what is stored under each id already.
_TABLES = ("bulk_rows", "bulk_faulty", "bulk_plan")
_ENTRY = ("position", "must_be_new")
_PLANNED = "FROM bulk_rows AS staged JOIN bulk_plan AS plan ON plan.position = staged.position"
# Positions that one statement names.
_DISCARDED_TOGETHER = 1_000


class Writer(ABC):
    """Writes elements of one dimension (`model`) into one repository.

    `columns` are those of the values, `element_id` among them; JSON columns take JSON text.
    """

    def __init__(self, model: type[Element], columns: Sequence[str], repository: Repository) -> None:
        self._model = model
        self._columns = columns
        self._repository = repository
        self._same_id = f"stored.repository_id = {repository.pk} AND stored.element_id = staged.element_id"
        self._table = connection.ops.quote_name(model._meta.db_table)
        self._named = [connection.ops.quote_name(column) for column in columns]
        self._fields = {field.attname: field for field in model._meta.concrete_fields}
        self._json_columns = self._of_type("JSONField")
        self.instants = self._of_type("DateTimeField")

    # --- What the databases do each in their own way ---------------------------------------------

    # How a temporary table is declared to go by itself, where the database knows that.
    lifetime: ClassVar[str] = ""

    @property
    @abstractmethod
    def new_key(self) -> str:
        """The primary key of a new element as SQL; NULL where the database gives it when the element is inserted."""

    @abstractmethod
    def tell_new_keys(self) -> None:
        """Complete the plan by the primary keys that new elements got when they were inserted."""

    @abstractmethod
    def transaction(self) -> AbstractContextManager[Any]:
        """The transaction that staging needs, if any."""

    @abstractmethod
    def insert(self, table: str, columns: Sequence[str], rows: Iterator[Sequence[Any]]) -> None:
        """Put `rows` into a temporary table, the fastest way that the database knows."""

    @abstractmethod
    def lock(self, sql: str) -> None:
        """Lock the rows of elements that the query `sql` selects, if the database knows locks of rows."""

    @abstractmethod
    def differ(self, stored: str, staged: str, *, is_json: bool) -> str:
        """The condition that two columns hold different values; null is a value like others."""

    # --- What is the same everywhere -------------------------------------------------------------

    @contextmanager
    def staging(self) -> Iterator[None]:
        """Have the temporary tables while the block runs."""
        with self.transaction():
            self.drop_tables()
            for table, columns in (("bulk_rows", self._named), ("bulk_faulty", ["element_id"])):
                query = (
                    f"SELECT 0 AS position, true AS must_be_new, {', '.join(columns)} FROM {self._table} WHERE 1 = 0"
                )
                self._create(table, query)
            yield

    def drop_tables(self) -> None:
        """Drop the temporary tables that there are."""
        for table in _TABLES:
            self._execute(f"DROP TABLE IF EXISTS {table}")

    def stage(self, entries: Iterable[Entry]) -> None:
        """Add `entries`; while the database takes one, the next may be made, without asking the database."""
        faulty: list[Sequence[Any]] = []
        self.insert("bulk_rows", (*_ENTRY, *self._columns), self._right(entries, faulty))
        if faulty:
            self.insert("bulk_faulty", (*_ENTRY, "element_id"), iter(faulty))

    @staticmethod
    def _right(entries: Iterable[Entry], faulty: list[Sequence[Any]]) -> Iterator[Sequence[Any]]:
        """The rows of the `entries` that have no fault; those of the others are added to `faulty`."""
        for entry in entries:
            if entry.values is None:
                faulty.append((entry.position, entry.must_be_new, entry.element_id))
            else:
                yield (entry.position, entry.must_be_new, *entry.values)

    def plan(self) -> None:
        """Lock the stored elements that are meant, and find out which entries are new and which would change something.

        To be called in the transaction that writes; it can be called again.
        """
        self._execute("DROP TABLE IF EXISTS bulk_plan")
        both = f"FROM bulk_rows AS staged JOIN {self._table} AS stored ON {self._same_id}"
        self.lock(f"SELECT 1 {both} ORDER BY stored.element_id")
        differ = " OR ".join(
            self.differ(f"stored.{name}", f"staged.{name}", is_json=column in self._json_columns)
            for column, name in zip(self._columns, self._named, strict=True)
        )
        self._create(
            "bulk_plan",
            "SELECT staged.position, staged.must_be_new, staged.element_id, "
            f"CASE WHEN stored.id IS NULL THEN {self.new_key} ELSE stored.id END AS target, "
            f"stored.id IS NULL AS is_new, stored.id IS NOT NULL AND ({differ}) AS is_changed "
            f"FROM bulk_rows AS staged LEFT JOIN {self._table} AS stored ON {self._same_id}",
        )
        self._execute("CREATE INDEX bulk_plan_position ON bulk_plan (position)")
        self._execute("CREATE INDEX bulk_plan_target ON bulk_plan (target)")

    def outdated(self) -> list[int]:
        """The positions of entries that were read before their elements got the unique values that they have now.

        What is stored never changes its unique values (contract C1, C2). To be called after `plan`.
        """
        differences = [
            f"stored.{connection.ops.quote_name(column)} <> staged.{connection.ops.quote_name(column)}"
            for column in self._model.unique_in_repository
            if column != "element_id"
        ]
        if not differences:
            return []
        with connection.cursor() as cursor:
            cursor.execute(
                f"SELECT staged.position FROM bulk_rows AS staged JOIN {self._table} AS stored ON {self._same_id} "
                f"WHERE NOT staged.must_be_new AND ({' OR '.join(differences)}) ORDER BY 1"
            )
            return [position for (position,) in cursor.fetchall()]

    def discard(self, positions: Sequence[int]) -> None:
        """Forget the entries at `positions`; `plan` has to be called again."""
        for start in range(0, len(positions), _DISCARDED_TOGETHER):
            part = positions[start : start + _DISCARDED_TOGETHER]
            self._execute(f"DELETE FROM bulk_rows WHERE position IN ({', '.join(['%s'] * len(part))})", part)

    def taken(self) -> list[int]:
        """The positions of entries that have to be new, and are not. To be called after `plan`."""
        with connection.cursor() as cursor:
            cursor.execute("SELECT position FROM bulk_plan WHERE must_be_new AND NOT is_new ORDER BY 1")
            return [position for (position,) in cursor.fetchall()]

    def absent(self) -> QuerySet[Any]:
        """The stored elements that no entry names, those with a fault included."""
        left = (
            f"SELECT element_id FROM {self._table} WHERE repository_id = %s "
            "EXCEPT SELECT element_id FROM bulk_rows EXCEPT SELECT element_id FROM bulk_faulty"
        )
        elements = self._model._base_manager.filter(repository=self._repository)
        return elements.filter(element_id__in=RawSQL(left, [self._repository.pk]))

    def counts(self) -> tuple[int, int, int]:
        """How many entries are new, how many would change something, and how many nothing. After `plan`."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT count(CASE WHEN is_new THEN 1 END), count(CASE WHEN is_changed THEN 1 END), count(*) "
                "FROM bulk_plan"
            )
            created, changed, total = cursor.fetchone()
        return created, changed, total - created - changed

    def first(self, limit: int) -> list[tuple[int, str]]:
        """The positions and the ids of the first entries that are new or would change something. After `plan`."""
        with connection.cursor() as cursor:
            cursor.execute(
                "SELECT position, element_id FROM bulk_plan WHERE is_new OR is_changed ORDER BY position LIMIT %s",
                [limit],
            )
            return list(cursor.fetchall())

    def clashes(self, limit: int) -> tuple[list[Clash], int]:
        """The first `limit` entries that cannot be written beside what is stored, in order, and the number of all."""
        quote = connection.ops.quote_name
        queries = [
            "SELECT position, element_id, 'element_id', element_id FROM bulk_plan WHERE must_be_new AND NOT is_new",
            (
                "SELECT staged.position, staged.element_id, 'element_id', staged.element_id FROM bulk_faulty AS staged "
                f"JOIN {self._table} AS stored ON {self._same_id} WHERE staged.must_be_new"
            ),
        ]
        for column in self._model.unique_in_repository:
            if column != "element_id":
                name = quote(column)
                queries.append(
                    f"SELECT staged.position, staged.element_id, '{column}', staged.{name} FROM bulk_rows AS staged "
                    f"JOIN {self._table} AS stored ON stored.repository_id = {self._repository.pk} "
                    f"AND stored.{name} = staged.{name} AND stored.element_id <> staged.element_id"
                )
        clashes = " UNION ALL ".join(queries)
        with connection.cursor() as cursor:
            cursor.execute(f"{clashes} ORDER BY 1, 3 LIMIT {limit}")
            found = [Clash(*row) for row in cursor.fetchall()]
            if len(found) < limit:
                return found, len(found)
            cursor.execute(f"SELECT count(*) FROM ({clashes}) AS clashes")
            (count,) = cursor.fetchone()
            return found, count

    def write(self, stamp: Stamp) -> None:
        """Write what is new and what is changed, with its history and all that is generated from it.

        Raises `IntegrityError` when somebody has created one of the new elements since `plan`.
        """
        stamped = {
            connection.ops.quote_name(column): self._fields[column].get_db_prep_save(value, connection)
            for column, value in stamp.columns.items()
        }
        created, changed, _unchanged = self.counts()
        if changed:
            self._change(stamped)
            follow_up(self._rows("is_changed"), history.CHANGED, stamp)
        if created:
            self._insert(stamped)
            self.tell_new_keys()
            follow_up(self._rows("is_new"), history.CREATED, stamp)
        count_write(self._repository.pk)
        count_written(created + changed)

    def written(self, start: int, end: int, render: Callable[[QuerySet[Any]], Iterable[str]]) -> Iterator[str]:
        """The texts that `render` makes, each of one element, of the elements of the entries `start` to before `end`.

        They are as the elements are stored now, and in the order of the entries.
        """
        meant = "SELECT target FROM bulk_plan WHERE position >= %s AND position < %s"
        with connection.cursor() as cursor:
            cursor.execute(f"{meant} ORDER BY position", [start, end])
            keys = [key for (key,) in cursor.fetchall()]
        # In an order that the database has anyway: it would find them all before it tells the first.
        stored = with_keys(self._model, meant, [start, end]).order_by("pk")
        texts = dict(zip(sorted(keys), render(stored), strict=True))
        return map(texts.__getitem__, keys)

    def _of_type(self, internal_type: str) -> set[str]:
        return {column for column in self._columns if self._fields[column].get_internal_type() == internal_type}

    def _change(self, stamped: Mapping[str, Any]) -> None:
        sets = [f"{name} = staged.{name}" for name in self._named] + [f"{name} = %s" for name in stamped]
        self._execute(
            f"UPDATE {self._table} AS stored SET {', '.join(sets)} {_PLANNED} "
            "WHERE stored.id = plan.target AND plan.is_changed",
            stamped.values(),
        )

    def _insert(self, stamped: Mapping[str, Any]) -> None:
        staged = [f"staged.{name}" for name in self._named]
        self._execute(
            f"INSERT INTO {self._table} (id, repository_id, {', '.join([*self._named, *stamped])}) "
            f"SELECT plan.target, {', '.join(['%s', *staged, *['%s'] * len(stamped)])} {_PLANNED} WHERE plan.is_new",
            [self._repository.pk, *stamped.values()],
        )

    def _rows(self, condition: str) -> QuerySet[Any]:
        return with_keys(self._model, f"SELECT target FROM bulk_plan WHERE {condition}", [])

    def _create(self, table: str, query: str, parameters: Sequence[Any] = ()) -> None:
        self._execute(f"CREATE TEMPORARY TABLE {table} {self.lifetime} AS {query}", parameters)

    def _execute(self, sql: str, parameters: Any = ()) -> int:
        """Execute one statement; return the number of rows that it wrote."""
        with connection.cursor() as cursor:
            cursor.execute(sql, list(parameters))
            rows: int = cursor.rowcount
            return rows
