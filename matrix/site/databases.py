"""Turns DATABASE_URL, or its absence, into Django's database settings."""

from pathlib import Path
from typing import Any

from matrix.site import env
from matrix.site.embedded_postgres import DATABASE, PORT, USER, EmbeddedPostgres


def database_settings(var_dir: Path) -> dict[str, Any]:
    """Returns the settings of the one database: the server named, else the embedded one.

    **Raises** SettingError when DATABASE_URL is set and is not a PostgreSQL address.
    """
    common = {
        "CONN_MAX_AGE": env.read_integer("RUNPROOF_CONNECTION_SECONDS", 60),
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
        "TEST": {"NAME": env.read_text("RUNPROOF_TEST_DATABASE", "test_runproof")},
    }
    address = env.read_database_url("DATABASE_URL")
    if address:
        return common | {
            "ENGINE": "django.db.backends.postgresql",
            "NAME": address.name,
            "USER": address.user,
            "PASSWORD": address.password,
            "HOST": address.host,
            "PORT": address.port,
            "OPTIONS": dict(address.options),
        }
    server = EmbeddedPostgres(var_dir / "postgres")
    return common | {
        "ENGINE": "matrix.site.embedded",
        "NAME": DATABASE,
        "USER": USER,
        "HOST": str(server.socket_dir),
        "PORT": str(PORT),
        "EMBEDDED_DATA_DIR": str(server.data_dir),
    }
