#!/bin/sh
# The entry of the container image: starts one process of the production form.
# Usage: container.sh web|worker|beat|migrate, or any command of manage.py with its arguments.
set -eu
cd "$(dirname "$0")/.."

case "${1:-web}" in
    web)
        # Why one thread per worker: each worker keeps one database connection for ever.
        exec granian --interface wsgi --host "${BIND:-0.0.0.0}" --port "${PORT:-8000}" \
            --workers "${WEB_WORKERS:-$(nproc)}" --blocking-threads 1 config.wsgi:application
        ;;
    worker)
        exec celery --app config.celery worker --queues money,delivery,upkeep \
            --concurrency "${WORKER_CONCURRENCY:-2}" --loglevel WARNING
        ;;
    beat)
        exec celery --app config.celery beat --schedule "${TMPDIR:-/tmp}/beat-schedule" --loglevel WARNING
        ;;
    migrate)
        exec python manage.py migrate --noinput
        ;;
    *)
        exec python manage.py "$@"
        ;;
esac
