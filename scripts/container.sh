#!/bin/sh
# The entry of the container image: starts one process of the production form.
# Usage: container.sh web|worker money|worker delivery|worker upkeep|beat|migrate, or any command of manage.py with its
# arguments. A deployment needs a worker of each kind.
set -eu
cd "$(dirname "$0")/.."

case "${1:-web}" in
    web)
        # Why one thread per worker: each worker keeps one database connection for ever.
        exec granian --interface wsgi --host "${BIND:-0.0.0.0}" --port "${PORT:-8000}" \
            --workers "${WEB_WORKERS:-$(nproc)}" --blocking-threads 1 --respawn-failed-workers --respawn-interval 0.5 config.wsgi:application
        ;;
    worker)
        # Why a kind: what a slow receiver, mail server or document holds up must never be a payment.
        case "${2:-}" in
            money | delivery | upkeep) ;;
            *)
                echo "Say what the worker is for: worker money, worker delivery or worker upkeep." >&2
                exit 2
                ;;
        esac
        exec celery --app config.celery worker --queues "$2" --hostname "$2@%h" --without-gossip --without-mingle \
            --concurrency "${WORKER_CONCURRENCY:-2}" --loglevel WARNING
        ;;
    beat)
        exec celery --app config.celery beat --scheduler config.beat:NotedScheduler --schedule "${TMPDIR:-/tmp}/beat-schedule" --loglevel WARNING
        ;;
    migrate)
        exec python manage.py migrate --noinput
        ;;
    *)
        exec python manage.py "$@"
        ;;
esac
