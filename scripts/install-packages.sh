#!/usr/bin/env bash
# Installs the Debian packages that are missing for the named needs; says what to do when it may not.
# Usage: scripts/install-packages.sh [python-venv] [postgresql] [redis] [chromium] [node] [npm] [wrk] [buildah] [debootstrap] [prometheus] [pgbackrest] [nginx] [haproxy] [systemd] [faketime] [cluster]
# PostgreSQL and Redis are not needed when DATABASE_URL and REDIS_URL name running ones.
set -euo pipefail

say() { printf '%s\n' "$*" >&2; }
has() { command -v "$1" >/dev/null 2>&1; }

has_postgresql() {
    [ -n "${DATABASE_URL:-}" ] || has initdb || compgen -G '/usr/lib/postgresql/*/bin/initdb' >/dev/null
}

# What make cluster runs besides PostgreSQL and Redis, on one line. Why by their files: not all stand on a user's PATH.
cluster_packages() {
    local missing=()
    [ -x /usr/bin/etcd ] || missing+=(etcd-server)
    [ -x /usr/bin/patroni ] || missing+=(patroni)
    [ -x /usr/sbin/haproxy ] || missing+=(haproxy)
    [ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
    echo "${missing[*]}"
}

# Prints the Debian packages of a need, and nothing when it is there.
# Why the fonts: without any, Chromium draws no text and every picture lies.
packages_for() {
    case "$1" in
        python-venv) echo python3-venv ;;
        postgresql) has_postgresql || echo postgresql ;;
        redis) [ -n "${REDIS_URL:-}" ] || has redis-server || echo redis-server ;;
        chromium) [ -n "${CHROMIUM:-}" ] || has chromium || echo chromium fonts-liberation ;;
        node) has node || echo nodejs ;;
        npm) has npm || echo npm ;;
        wrk) has wrk || echo wrk ;;
        buildah | debootstrap | prometheus | pgbackrest | faketime) has "$1" || echo "$1" ;;
        nginx | haproxy) [ -x "/usr/sbin/$1" ] || echo "$1" ;; # not on every user's PATH
        systemd) has systemd-analyze || echo systemd ;;
        cluster) cluster_packages ;;
        *) say "Unknown need: $1"; exit 2 ;;
    esac
}

packages=()
for need in "$@"; do
    found="$(packages_for "$need")"
    read -ra missing <<<"$found"
    packages+=("${missing[@]}")
done
[ "${#packages[@]}" -gt 0 ] || exit 0

refuse() {
    say "These Debian packages are missing: ${packages[*]}. $1 Install them" \
        "(apt-get install ${packages[*]}), then run make again."
    exit 1
}

has apt-get || refuse "This machine has no apt-get."
as_root=()
if [ "$(id -u)" -ne 0 ]; then
    has sudo || refuse "Only root may install them."
    as_root=(sudo)
    [ -t 0 ] || as_root=(sudo -n)
    "${as_root[@]}" true 2>/dev/null || refuse "Only root may install them."
fi

# Why: two at once are safe, the second one waits.
exec 9>"${TMPDIR:-/tmp}/causeway-packages-$(id -u).lock"
flock 9
say "Installing missing Debian packages: ${packages[*]} ..."
log="$(mktemp)"
policy=/usr/sbin/policy-rc.d
trap 'rm -f "$log"' EXIT
if [[ " ${packages[*]} " =~ \ (etcd-server|patroni|nginx|haproxy)\  ]] && [ ! -e "$policy" ]; then
    # Why: Debian would start each of them as a service of the machine. make cluster and tests run their own.
    printf '#!/bin/sh\nexit 101\n' | "${as_root[@]}" install -m 755 /dev/stdin "$policy"
    trap 'rm -f "$log"; "${as_root[@]}" rm -f "$policy"' EXIT
fi
if ! { "${as_root[@]}" apt-get update && "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install --yes --no-install-recommends "${packages[@]}"; } >"$log" 2>&1; then
    tail -n 20 "$log" >&2
    refuse "apt-get could not install them (see above)."
fi
