"""What `manage.py serve` needs beside Django's own commands: a port, a fingerprint, a server."""

import hashlib
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

from django.contrib.staticfiles.finders import get_finders
from django.utils.module_loading import import_string
from gunicorn.app.base import BaseApplication

_PORTS_TRIED = 50


class NoFreePortError(RuntimeError):
    """Says which ports are taken."""

    code = "no-free-port"


def find_free_port(host: str, wanted: int) -> int:
    """Returns the wanted port, or the next one above it that nobody listens on.

    **Raises** NoFreePortError when fifty in a row are taken, OSError for a host that is not ours.
    """
    last = min(wanted + _PORTS_TRIED, 65_536)
    for port in range(wanted, last):
        if is_port_free(host, port):
            return port
    raise NoFreePortError(
        f"Ports {wanted} to {last - 1} of {host} are all taken; name a free one in PORT."
    )


def is_port_free(host: str, port: int) -> bool:
    """Returns whether a server could listen there now.

    **Raises** OSError for a host that is not this machine's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    with socket.socket(family, socket.SOCK_STREAM) as probe:
        # As the server does, so that a port in its closing wait counts as free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((host, port))
        except (PermissionError, OverflowError):
            return False
        except OSError as error:
            if error.errno is not None and "in use" in str(error):
                return False
            raise
    return True


def fingerprint_static_sources() -> str:
    """Returns a digest of the names, sizes and times of all static source files."""
    digest = hashlib.sha256()
    for finder in get_finders():
        for name, storage in finder.list([]):
            found = Path(storage.path(name)).stat()
            digest.update(f"{name}\0{found.st_size}\0{found.st_mtime_ns}\n".encode())
    return digest.hexdigest()


class ProductionServer(BaseApplication):
    """Gunicorn with our options in place of a configuration file and a command line."""

    def __init__(
        self, *, host: str, port: int, workers: int, threads: int, on_ready: Callable[[], None]
    ) -> None:
        shown_host = f"[{host}]" if ":" in host else host
        self.options: dict[str, Any] = {
            "bind": [f"{shown_host}:{port}"],
            "workers": workers,
            "threads": threads,
            "worker_class": "gthread",
            "timeout": 120,
            "graceful_timeout": 10,
            "loglevel": "warning",
            "control_socket_disable": True,
            "post_worker_init": lambda worker: on_ready() if worker.age == 1 else None,
        }
        super().__init__()

    def load_config(self) -> None:
        """Takes the options; nothing from the environment or a file."""
        for name, value in self.options.items():
            self.cfg.set(name, value)

    def load(self) -> Any:
        """Returns the WSGI application, made in the worker, with the index that it answers from."""
        from matrix.site.wsgi import application

        # The first reader is not the one who waits for it.
        import_string("matrix.index.current_knowledge")()
        return application
