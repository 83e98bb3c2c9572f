# syntax=docker/dockerfile:1
# One image for the web process, the worker, the clock and the preparation of the database.

FROM python:3.13.9-slim-bookworm AS packages
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /venv
COPY requirements.lock /build/
# Only what was locked is installed, and nothing is compiled.
RUN /venv/bin/pip install --require-hashes --only-binary :all: -r /build/requirements.lock

FROM python:3.13.9-slim-bookworm
# The account owns /data alone; the program itself is root's and not writable by it.
RUN groupadd --gid 10001 runproof \
 && useradd --uid 10001 --gid 10001 --home-dir /data --no-create-home --shell /usr/sbin/nologin runproof \
 && install -d -o 10001 -g 10001 -m 0700 /data /data/tmp
COPY --from=packages /venv /venv
WORKDIR /app
COPY manage.py ./
COPY matrix matrix
COPY benchmarks_app benchmarks_app
COPY ingest ingest
COPY templates templates
COPY static static
COPY locale locale
ENV PATH=/venv/bin:$PATH \
    PYTHONUNBUFFERED=1 \
    DJANGO_SETTINGS_MODULE=matrix.site.settings \
    RUNPROOF_VAR_DIR=/data \
    RUNPROOF_STATIC_DIR=/app/collected \
    TMPDIR=/data/tmp
# The key serves these commands alone: neither it nor a key of theirs stays in the image.
RUN export RUNPROOF_VAR_DIR=/tmp/build TMPDIR=/tmp RUNPROOF_SECRET_KEY=only-while-this-image-is-being-built \
 && mkdir /tmp/build \
 && python manage.py compile_translations \
 && python manage.py collectstatic --noinput --verbosity 0 --ignore redoc --ignore widgetbundle.js \
 && python -m compileall -q matrix benchmarks_app ingest \
 && rm -rf /tmp/build
USER 10001:10001
EXPOSE 8000
HEALTHCHECK --interval=15s --timeout=5s --start-period=120s --retries=4 \
  CMD ["python", "-c", "import urllib.request as u; u.urlopen('http://127.0.0.1:8000/healthz/', timeout=4)"]
CMD ["python", "manage.py", "serve", "--prepared"]
