#!/bin/sh
# The entry of the production form, in the image and without one: starts one of its programs, or says in a sentence what it lacks.
# Usage: container.sh web|worker money|worker delivery|worker upkeep|worker reader|beat|metrics|migrate, or any command of manage.py with its
# arguments. A deployment needs a worker of each kind.
set -eu
cd "$(dirname "$0")/.."
export TZ=UTC # the web server's own lines have the time of the machine, all others have this one

# Why before: a web server would start its processes again for ever, and each would print a traceback.
python -m config.before_start "${1:-web}"

case "${1:-web}" in
    web)
        # Its threads are those of WEB_THREADS, each with a database connection that it keeps for ever.
        exec granian --interface asginl --http 1 --no-ws --http1-header-read-timeout 10000 \
            --host "${BIND:-0.0.0.0}" --port "${PORT:-8000}" --workers "${WEB_WORKERS:-$(nproc)}" \
            --log-config scripts/web-log.json --log-level warning \
            --respawn-failed-workers --respawn-interval 0.5 config.asgi:application
        ;;
    worker)
        # Why a kind: what a slow receiver, mail server or document holds up must never be a payment.
        case "${2:-}" in
            money | delivery | upkeep) pool=prefork concurrency=2 ;;
            # Threads: it waits for nodes, and a chain of which none answers must hold up no other.
            reader) pool=threads concurrency=8 ;;
            *)
                echo "Say what the worker is for: worker money, delivery, upkeep or reader." >&2
                exit 2
                ;;
        esac
        exec celery --quiet --app config.celery worker --queues "$2" --hostname "$2@%h" --without-gossip --without-mingle \
            --pool "$pool" --concurrency "${WORKER_CONCURRENCY:-$concurrency}" --loglevel WARNING
        ;;
    beat)
        exec celery --quiet --app config.celery beat --scheduler config.beat:NotedScheduler --schedule "${TMPDIR:-/tmp}/beat-schedule" --loglevel WARNING
        ;;
    metrics)
        exec python manage.py serve_metrics --bind "${BIND:-0.0.0.0}"
        ;;
    migrate)
        shift
        exec python manage.py migrate --noinput "$@"
        ;;
    *)
        exec python manage.py "$@"
        ;;
esac
