# One image for every process of the production form; its command chooses: web, worker, beat, migrate,
# or any command of manage.py. Needs DATABASE_URL, REDIS_URL and the rest of .env.example.
# Where no registry of images is reached, `make image` builds it over Debian's packages (docs/operators.md, The image).
FROM python:3.11.7-slim-bookworm AS made
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
# Why two: nothing is installed where the service runs, so pip stays behind.
RUN python -m venv /opt/pip && python -m venv --without-pip /opt/venv
# kms has AWS's client besides, traces OpenTelemetry's library: docker build --build-arg REQUIREMENTS=kms
ARG REQUIREMENTS=base
COPY requirements/ /tmp/requirements/
RUN /opt/pip/bin/pip --python /opt/venv/bin/python install --no-compile --no-deps --require-hashes \
    --requirement /tmp/requirements/$REQUIREMENTS.txt
WORKDIR /app
COPY . .
# Why these values: the settings ask for the production form, and this step opens none of them.
RUN DATABASE_URL=postgres://build REDIS_URL=redis://build ALLOWED_HOSTS=build \
    SECRET_KEY=only-for-collecting-static-files-while-building \
    /opt/venv/bin/python manage.py collectstatic --noinput --ignore redoc
# Out goes what only compilers, translators and debuggers read. What is left is compiled here: later the root is read-only.
RUN find /opt/venv /app -type f -regex '.*\.\(c\|cpp\|h\|map\|map\.gz\|po\|pxd\|pyi\|pyx\)' -delete \
    && python -m compileall -q -j 0 /opt/venv /app

FROM python:3.11.7-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 LOCAL_DIR=/tmp/causeway
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin causeway
WORKDIR /app
COPY --from=made /opt/venv /opt/venv
COPY --from=made /app /app
# By number: who runs it can then see that it is not root.
USER 10001
EXPOSE 8000
STOPSIGNAL SIGTERM
ENTRYPOINT ["/app/scripts/container.sh"]
CMD ["web"]
