"""Backup and restore: an archive brought into a new database is the installation itself."""

import gzip
import hashlib
import io
import json
import os
import re
import stat
import subprocess
import sys
import tarfile
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from psycopg import sql

from benchmarks_app.models import SampleSet
from matrix.index import forget_knowledge
from matrix.models import Dossier, DossierSignOff, HardwarePrice
from matrix.site.archives.errors import ArchiveError
from matrix.site.archives.migrating import prepare_tables
from matrix.site.archives.reading import read_manifest, restore_archive, verify_archive
from matrix.site.archives.tables import LEFT_OUT, list_tables
from matrix.site.archives.writing import MANIFEST, MANIFEST_SUM, content_hash, write_archive
from tests.benchmarks_app.builders import make_run, make_samples
from tests.matrix.api.rows import bearer, make_price, make_user, make_world

REPOSITORY = Path(__file__).resolve().parents[2]
with_rows = pytest.mark.django_db(transaction=True, serialized_rollback=True)
HOSTILE = 'a\tb\\N\nc "d" \x01 – 模型'


@pytest.fixture
def filled() -> Iterator[None]:
    """An installation with knowledge, runs with samples, a frozen dossier, a price, accounts."""
    forget_knowledge()
    make_world()
    make_run(samples=make_samples(), label=HOSTILE)
    make_price()
    bearer(make_user("ada", "curator"), "read")
    dossier = Dossier.objects.create(
        uid="d1", series="s1", title=HOSTILE, opened_by="ada", opened_at=_now(), state="frozen",
        as_of=date(2026, 1, 1), known_at=_now(), frozen_at=_now(), content={"é": [1, None, 0.1]},
        content_sha256="0" * 64,
    )  # fmt: skip
    DossierSignOff.objects.create(
        dossier=dossier, content_sha256="0" * 64, person="role", role="r", stance="agree",
        statement="", recorded_by="ada", at=_now(),
    )  # fmt: skip
    yield
    forget_knowledge()


def _now() -> datetime:
    return datetime(2026, 1, 2, 3, 4, 5, 678901, tzinfo=UTC)


@pytest.fixture
def archive(filled: None, tmp_path: Path) -> Path:
    return write_archive(tmp_path / "all.tar").path


@pytest.fixture
def new_database() -> Iterator[Callable[..., Any]]:
    """Returns a function that runs a command of manage.py on a database of its own."""
    settings = connection.settings_dict
    name = f"{settings['NAME']}_restored"
    place = {"host": settings["HOST"], "port": settings["PORT"] or None, "user": settings["USER"]}
    if settings["PASSWORD"]:
        place["password"] = settings["PASSWORD"]
    with psycopg.connect(dbname="postgres", autocommit=True, **place) as admin:
        drop = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        admin.execute(drop)
        admin.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        address = f"postgres://{place['user']}@:{place['port'] or 5432}/{name}?host={place['host']}"

        def run(*words: str) -> Any:
            done = subprocess.run(
                [sys.executable, "manage.py", *words],
                cwd=REPOSITORY, env=os.environ | {"DATABASE_URL": address},
                capture_output=True, text=True, check=False, timeout=180,
            )  # fmt: skip
            run.connect = lambda: psycopg.connect(dbname=name, **place)  # type: ignore[attr-defined]
            return done

        yield run
        admin.execute(drop)


def change(path: Path, edit: Callable[[dict[str, bytes]], None], *, seal: bool = True) -> Path:
    """A copy of the archive with other members; ``seal`` makes the manifest's hash fit."""
    with tarfile.open(path) as tar:
        members = {
            one.name: file.read() for one in tar if (file := tar.extractfile(one)) is not None
        }
    edit(members)
    if seal and MANIFEST in members:
        members[MANIFEST_SUM] = hashlib.sha256(members[MANIFEST]).hexdigest().encode()
    changed = path.with_name("changed.tar")
    with tarfile.open(changed, "w") as tar:
        for name, data in members.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return changed


def in_manifest(edit: Callable[[dict[str, Any]], None]) -> Callable[[dict[str, bytes]], None]:
    """An edit of the manifest."""

    def apply(members: dict[str, bytes]) -> None:
        plain = json.loads(members[MANIFEST])
        edit(plain)
        members[MANIFEST] = json.dumps(plain).encode()

    return apply


@with_rows
def test_a_restored_installation_has_the_same_content(
    archive: Path, new_database: Callable[..., Any]
) -> None:
    before = content_hash()
    done = new_database("restore", str(archive))
    assert done.returncode == 0, done.stderr
    assert f"content hash {before}" in done.stdout
    assert new_database("content_hash").stdout.strip() == before
    with new_database.connect() as restored:  # type: ignore[attr-defined]
        label = restored.execute("SELECT label FROM benchmarks_run").fetchone()
        assert label == (HOSTILE,)
        encoded = restored.execute("SELECT encoded FROM benchmarks_sampleset").fetchone()
        assert bytes(encoded[0]) == bytes(SampleSet.objects.get().encoded)
        highest = restored.execute("SELECT max(id) FROM matrix_claim").fetchone()[0]
        following = restored.execute(
            "SELECT nextval(pg_get_serial_sequence('matrix_claim', 'id'))"
        ).fetchone()[0]
        assert following == highest + 1
        restored.rollback()
        # What may never change may not change here either.
        with pytest.raises(psycopg.errors.RestrictViolation):
            restored.execute("UPDATE matrix_dossier SET title = 'x'")
    again = new_database("restore", str(archive))
    assert again.returncode != 0
    assert "holds data already" in again.stderr and "Traceback" not in again.stderr
    assert new_database("content_hash").stdout.strip() == before


@with_rows
def test_an_archive_that_the_database_refuses_leaves_it_empty(
    archive: Path, new_database: Callable[..., Any]
) -> None:
    """A row that refers to nothing, under hashes that fit: only the database can tell."""
    table = "benchmarks_measurement"

    def lose_the_runs(members: dict[str, bytes]) -> None:
        name = f"tables/{table}.copy.gz"
        manifest = json.loads(members[MANIFEST])
        entry = next(one for one in manifest["tables"] if one["name"] == table)
        place = entry["columns"].index("run_id")
        lines = gzip.decompress(members[name]).decode().splitlines()
        first = lines[0].split("\t")
        first[place] = "999999"
        data = "".join(f"{line}\n" for line in ["\t".join(first), *lines[1:]]).encode()
        members[name] = gzip.compress(data)
        entry |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest()}
        told = sorted(
            f"{one['name']}\t{','.join(one['columns'])}\t{one['rows']}\t{one['sha256']}"
            for one in manifest["tables"]
        )
        manifest["content_hash"] = hashlib.sha256("\n".join(told).encode()).hexdigest()
        members[MANIFEST] = json.dumps(manifest).encode()

    broken = change(archive, lose_the_runs)
    verify_archive(broken)
    done = new_database("restore", str(broken))
    assert done.returncode != 0
    assert "refused" in done.stderr and "Traceback" not in done.stderr
    with new_database.connect() as held:  # type: ignore[attr-defined]
        for name in ("matrix_claim", "benchmarks_run", "auth_user"):
            query = sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))
            assert held.execute(query).fetchone() == (0,)
        disabled = held.execute("SELECT count(*) FROM pg_trigger WHERE tgenabled = 'D'").fetchone()
        assert disabled == (0,)
    assert new_database("restore", str(archive)).returncode == 0


@with_rows
def test_an_archive_of_fewer_migrations_is_brought_up_to_date(
    archive: Path, new_database: Callable[..., Any]
) -> None:
    """Without the tables of one app: what an installation before that app would have written."""
    older = change(archive, _without_axes)
    done = new_database("restore", str(older))
    assert done.returncode == 0, done.stderr
    with new_database.connect() as held:  # type: ignore[attr-defined]
        assert held.execute("SELECT to_regclass('axes_accessattempt')").fetchone() != (None,)
        assert held.execute("SELECT count(*) FROM matrix_claim").fetchone() == (4,)


def _without_axes(members: dict[str, bytes]) -> None:
    manifest = json.loads(members[MANIFEST])
    manifest["migrations"] = [one for one in manifest["migrations"] if one[0] != "axes"]
    manifest["tables"] = [one for one in manifest["tables"] if not one["name"].startswith("axes_")]
    for name in [name for name in members if name.startswith("tables/axes_")]:
        del members[name]
    told = sorted(
        f"{one['name']}\t{','.join(one['columns'])}\t{one['rows']}\t{one['sha256']}"
        for one in manifest["tables"]
    )
    manifest["content_hash"] = hashlib.sha256("\n".join(told).encode()).hexdigest()
    members[MANIFEST] = json.dumps(manifest).encode()


@with_rows
def test_the_archive_holds_every_table_and_its_hash_is_that_of_the_content(archive: Path) -> None:
    manifest = verify_archive(archive)
    with connection.cursor() as cursor:
        assert set(manifest.sums) == {table.name for table in list_tables(cursor)}
        cursor.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()")
        assert {row[0] for row in cursor.fetchall()} - LEFT_OUT == set(manifest.sums)
    before = content_hash()
    assert manifest.content_hash == before == content_hash()
    assert manifest.sums["matrix_claim"].rows == 4
    # It holds hashes of passwords, so that it is for its owner alone; nothing else is left over.
    assert stat.S_IMODE(archive.stat().st_mode) == 0o600
    assert [path.name for path in archive.parent.iterdir()] == [archive.name]
    with pytest.raises(ArchiveError, match="holds data already"):
        restore_archive(archive, manifest)
    assert content_hash() == before
    HardwarePrice.objects.filter(uid="t4-price").update(
        withdrawn_at=_now(), withdrawn_by="ada", reason="x"
    )
    assert content_hash() != before


@with_rows
def test_a_file_that_exists_is_never_written_over(archive: Path) -> None:
    kept = archive.read_bytes()
    with pytest.raises(ArchiveError, match="exists"):
        write_archive(archive)
    assert archive.read_bytes() == kept
    with pytest.raises(ArchiveError, match="no folder"):
        write_archive(archive.parent / "nowhere" / "all.tar")


@with_rows
def test_a_damaged_archive_is_refused_whatever_the_damage(archive: Path) -> None:
    broken = archive.with_name("broken.tar")
    data = bytearray(archive.read_bytes())
    with tarfile.open(archive) as tar:
        places = [one.offset_data + one.size // 2 for one in tar if one.size > 60]
    assert len(places) > 10
    for spot in places:
        data[spot] ^= 0x10
        broken.write_bytes(data)
        with pytest.raises(ArchiveError):
            verify_archive(broken)
        data[spot] ^= 0x10
    for share in (0.0, 0.1, 0.5, 0.99):
        broken.write_bytes(data.rstrip(b"\0")[: int(len(data.rstrip(b"\0")) * share)])
        with pytest.raises(ArchiveError):
            verify_archive(broken)
    for edit in TAMPERINGS:
        with pytest.raises(ArchiveError):
            verify_archive(change(archive, edit))
    dated = in_manifest(lambda plain: plain.update(created_at="2020-01-01"))
    with pytest.raises(ArchiveError, match="hash"):
        read_manifest(change(archive, dated, seal=False))
    assert verify_archive(archive).sums


TAMPERINGS: list[Callable[[dict[str, bytes]], Any]] = [
    lambda members: members.pop("tables/matrix_claim.copy.gz"),
    lambda members: members.update({"tables/more.copy.gz": b""}),
    lambda members: members.update({"../../etc/passwd": b"x"}),
    lambda members: members.pop(MANIFEST),
    lambda members: members.update({MANIFEST: b"[]"}),
    lambda members: members.update({MANIFEST: b"\xff"}),
    lambda members: members.update({"tables/matrix_claim.copy.gz": gzip.compress(b"x" * 9**7)}),
    in_manifest(lambda plain: plain.update(format="other")),
    in_manifest(lambda plain: plain.update(format_version=2)),
    in_manifest(lambda plain: plain.update(content_hash="0" * 64)),
    in_manifest(lambda plain: plain["tables"].pop()),
    in_manifest(lambda plain: plain["tables"][0].update(rows=-1)),
    in_manifest(lambda plain: plain.update(tables=None)),
]


def test_what_is_no_archive_is_refused(tmp_path: Path) -> None:
    for name, data in (("text", b"hello"), ("empty", b""), ("zip", b"PK\x03\x04" * 200)):
        path = tmp_path / name
        path.write_bytes(data)
        with pytest.raises(ArchiveError):
            verify_archive(path)
    with pytest.raises(ArchiveError, match="cannot be read"):
        verify_archive(tmp_path / "nobody")


@with_rows
def test_other_migrations_are_told_with_the_way_on(archive: Path) -> None:
    migrations = read_manifest(archive).migrations
    prepare_tables(migrations)
    with pytest.raises(ArchiveError, match="newer release"):
        prepare_tables(migrations | {("matrix", "9999_of_the_future")})
    fewer = frozenset(one for one in migrations if one[0] != "axes")
    with pytest.raises(ArchiveError, match=re.escape("without any table")):
        prepare_tables(fewer)
