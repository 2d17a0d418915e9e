# One image for every process of the production form; its command chooses: web, worker, beat, migrate,
# or any command of manage.py. Needs DATABASE_URL, REDIS_URL and the rest of .env.example.
FROM python:3.11.7-slim-bookworm AS dependencies
ENV PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_NO_CACHE_DIR=1
RUN python -m venv /opt/venv
# kms has AWS's client besides: docker build --build-arg REQUIREMENTS=kms
ARG REQUIREMENTS=base
COPY requirements/ /tmp/requirements/
RUN /opt/venv/bin/pip install --require-hashes --requirement /tmp/requirements/$REQUIREMENTS.txt

FROM python:3.11.7-slim-bookworm
ENV PATH=/opt/venv/bin:$PATH PYTHONUNBUFFERED=1 LOCAL_DIR=/tmp/causeway
RUN useradd --system --uid 10001 --no-create-home --shell /usr/sbin/nologin causeway
WORKDIR /app
COPY --from=dependencies /opt/venv /opt/venv
COPY . .
# Why these values: the settings ask for the production form, and this step opens none of them.
RUN DATABASE_URL=postgres://build REDIS_URL=redis://build ALLOWED_HOSTS=build \
    SECRET_KEY=only-for-collecting-static-files-while-building \
    python manage.py collectstatic --noinput && python -m compileall -q .
USER causeway
EXPOSE 8000
STOPSIGNAL SIGTERM
ENTRYPOINT ["/app/scripts/container.sh"]
CMD ["web"]
