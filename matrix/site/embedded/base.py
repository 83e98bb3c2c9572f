"""Django's PostgreSQL engine, with the private server started by the first connection."""

from pathlib import Path
from typing import Any

import psycopg
from django.db.backends.postgresql import base

from matrix.site.embedded_postgres import EmbeddedPostgres


class DatabaseWrapper(base.DatabaseWrapper):
    """Connects as PostgreSQL does; when nothing answers, starts the server and tries once more.

    So a command that needs no database starts none, and a server that somebody stopped comes back.
    """

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        try:
            return super().get_new_connection(conn_params)
        except psycopg.OperationalError:
            EmbeddedPostgres(Path(self.settings_dict["EMBEDDED_DATA_DIR"])).ensure_running()
            return super().get_new_connection(conn_params)
