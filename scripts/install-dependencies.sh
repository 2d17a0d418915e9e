#!/usr/bin/env bash
# Makes .venv with the locked dependencies of requirements/<set>.txt. Needs only Python.
# Usage: scripts/install-dependencies.sh base|test      PYTHON=... chooses the interpreter.
set -euo pipefail
cd "$(dirname "$0")/.."
requirements="requirements/$1.txt"

say() { printf '%s\n' "$*" >&2; }

recent_enough() { "$1" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; }

find_python() {
    local candidate
    for candidate in ${PYTHON:-python3.11 python3 python3.12 python3.13}; do
        if recent_enough "$candidate"; then
            printf '%s' "$candidate"
            return
        fi
    done
    say "Python 3.11 or later was not found. Install it (Debian: apt-get install python3 python3-venv)" \
        "or name one: make PYTHON=/path/to/python3.11 ..."
    exit 1
}

can_make_environments() { "$1" -c 'import ensurepip, venv' 2>/dev/null; }

ensure_venv_module() {
    can_make_environments "$1" && return
    scripts/install-packages.sh python-venv
    can_make_environments "$1" && return
    say "$1 cannot make virtual environments: its venv module is missing." \
        "Install it (Debian: apt-get install python3-venv), then run make again."
    exit 1
}

if ! .venv/bin/python -m pip --version >/dev/null 2>&1; then
    python="$(find_python)"
    ensure_venv_module "$python"
    say "Making the virtual environment .venv with $("$python" --version) ..."
    "$python" -m venv --clear .venv
fi

say "Installing the dependencies of $requirements (about a minute, only when they change) ..."
.venv/bin/python -m pip install --quiet --disable-pip-version-check --no-input --retries 8 \
    --no-compile --no-deps --require-hashes --requirement "$requirements"
# After pip and on all processors: pip compiles on one. What does not compile is for another Python, and never read.
.venv/bin/python -m compileall -q -j 0 .venv/lib >/dev/null || true
