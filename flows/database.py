"""The SQLite database of a command's server: created quickly, with transactions that wait for each other."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Collection
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from prefect.server.database.configurations import AioSqliteConfiguration
from prefect.server.database.dependencies import (
    provide_database_interface,
    set_database_config,
    temporary_database_config,
)
from sqlalchemy import Connection, Engine, Inspector, Table, create_engine, event, make_url
from sqlalchemy.dialects import registry
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.ext.asyncio import AsyncSession, AsyncSessionTransaction


class WaitingSqlite(AioSqliteConfiguration):
    """Locks the database when a transaction begins, not when it first writes.

    A transaction that reads before it writes would otherwise fail at once if another one has written in between. The
    client then retries after two seconds; a run with many subflows would lose this time at nearly every subflow.
    """

    @asynccontextmanager
    async def begin_transaction(
        self,
        session: AsyncSession,
        with_for_update: bool = True,
    ) -> AsyncGenerator[AsyncSessionTransaction, None]:
        """Hold the lock during a transaction, whatever `with_for_update` says."""
        del with_for_update
        async with super().begin_transaction(session, with_for_update=True) as transaction:
            yield transaction


class _SingleTables(Inspector):
    """Reads a table without the tables that its foreign keys name, and those that theirs name, and so on.

    Migrations copy a table to alter it, with its foreign keys as they are. Reading the others would take a third of the
    time of all migrations.
    """

    def reflect_table(
        self,
        table: Table,
        include_columns: Collection[str] | None,
        exclude_columns: Collection[str] = (),
        resolve_fks: bool = True,
        *args: Any,  # noqa: ANN401 - as they came
        **kwargs: Any,  # noqa: ANN401 - as above
    ) -> None:
        """Read a table, whatever `resolve_fks` says."""
        del resolve_fks
        super().reflect_table(table, include_columns, exclude_columns, False, *args, **kwargs)


class MigratingSqlite(SQLiteDialect_pysqlite):
    """Python's sqlite3, with the inspector for migrations."""

    inspector = _SingleTables
    supports_statement_cache = True


registry.register("sqlite.migrating", __name__, MigratingSqlite.__name__)


class PlainSqlite(AioSqliteConfiguration):
    """Runs migrations on a plain connection.

    Prefect's connection hands each of the thousands of statements of a new database to another thread and back, which
    takes as long as the statements.
    """

    async def engine(self) -> Any:  # noqa: ANN401 - what migrations use of an AsyncEngine
        """Return an engine with the same options as Prefect's."""
        engine = create_engine(make_url(self.connection_url).set(drivername="sqlite+migrating"), paramstyle="named")
        event.listen(engine, "connect", self._connected)
        event.listen(engine, "begin", self.begin_sqlite_stmt)
        return _Migrating(engine)

    def _connected(self, connection: Any, record: Any) -> None:  # noqa: ANN401 - sqlite3's and SQLAlchemy's
        self.begin_sqlite_conn(connection)
        self.setup_sqlite(connection, record)


class _Migrating:
    """A plain engine, with the part of AsyncEngine that migrations use."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine

    @asynccontextmanager
    async def connect(self) -> AsyncIterator["_Migrating"]:
        with self._engine.connect() as self._connection:
            yield self

    async def run_sync(self, migrate: Callable[[Connection], None]) -> None:
        migrate(self._connection)

    async def dispose(self) -> None:
        self._engine.dispose()


def prepare_database() -> None:
    """Create the database of this process's server if it is missing, and make its transactions wait; SQLite only."""
    configuration = provide_database_interface().database_config
    if not isinstance(configuration, AioSqliteConfiguration):
        return
    path = make_url(configuration.connection_url).database
    if path and ":memory:" not in path and not Path(path).exists():
        with temporary_database_config(PlainSqlite(configuration.connection_url)):
            asyncio.run(provide_database_interface().create_db())
    set_database_config(WaitingSqlite(configuration.connection_url))
