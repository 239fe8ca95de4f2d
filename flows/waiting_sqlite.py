"""Prefect's SQLite database, with transactions that wait for each other."""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

from prefect.server.database.configurations import AioSqliteConfiguration
from prefect.server.database.dependencies import provide_database_interface, set_database_config
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


def use_waiting_sqlite() -> None:
    """Make the server of this process use WaitingSqlite, unless its database is not SQLite."""
    configuration = provide_database_interface().database_config
    if isinstance(configuration, AioSqliteConfiguration):
        set_database_config(WaitingSqlite(configuration.connection_url))
