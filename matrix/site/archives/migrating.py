"""Brings a database to the migrations of an archive, and on from there."""

from django.core.management import call_command
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from matrix.site.archives.errors import ArchiveError

Migrations = frozenset[tuple[str, str]]


def prepare_tables(wanted: Migrations) -> None:
    """Makes the tables of the archive's migrations in a database without any.

    **Raises**: ``ArchiveError`` where the archive knows migrations that this release does not, and
    where the database has tables of other migrations.
    """
    executor = MigrationExecutor(connection)
    graph = executor.loader.graph
    unknown = sorted(wanted - set(graph.nodes))
    if unknown:
        raise ArchiveError(
            f"The archive was written by a newer release: it has the migration "
            f"{'.'.join(unknown[0])}, which this one does not; install that release."
        )
    applied = frozenset(executor.loader.applied_migrations)
    if applied == wanted:
        return
    if connection.introspection.table_names():
        raise ArchiveError(_sentence(applied, wanted))
    executor.migrate([node for node in wanted if not wanted & set(graph.node_map[node].children)])


def _sentence(applied: Migrations, wanted: Migrations) -> str:
    more, fewer = sorted(applied - wanted), sorted(wanted - applied)
    told = ", ".join(".".join(one) for one in (more or fewer)[:3])
    which = "has migrations that the archive does not" if more else "lacks migrations"
    return (
        f"The database {which}: {told}; accepted: a database without any table, which is brought "
        "to the migrations of the archive first and to the newest ones afterwards."
    )


def bring_up_to_date() -> None:
    """Applies the migrations that are newer than the archive."""
    call_command("migrate", interactive=False, verbosity=0)
