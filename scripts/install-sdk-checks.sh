#!/usr/bin/env bash
# Installs what the proofs of sdks/ compare with and build on, locked, unless it is there: Python's packages into
# .local/sdks-venv, because two web shops bring a Django of theirs, and npm's into .local/sdks-node; a generator that
# needs an older compiler than ours into .local/sdks-foreign.
# Usage: scripts/install-sdk-checks.sh      Two at once are safe: the second one waits. Needs .venv.
set -euo pipefail
cd "$(dirname "$0")/.."
python_lock=requirements/sdks.txt
python_target=.local/sdks-venv
node_wanted=sdks/checks
node_target=.local/sdks-node
foreign_wanted=sdks/checks/foreign
foreign_target=.local/sdks-foreign

python_is_there() { cmp --silent "$python_lock" "$python_target/.installed"; }
node_is_there() { cmp --silent "$node_wanted/package-lock.json" "$node_target/.installed"; }
foreign_is_there() { cmp --silent "$foreign_wanted/package-lock.json" "$foreign_target/.installed"; }

if python_is_there && node_is_there && foreign_is_there; then exit 0; fi
scripts/install-packages.sh node npm
mkdir -p .local "$node_target" "$foreign_target"
exec 9>.local/.sdk-checks-lock
flock 9

if ! python_is_there; then
    printf 'Installing the packages of %s ...\n' "$python_lock" >&2
    .venv/bin/python -m venv --clear "$python_target"
    "$python_target/bin/python" -m pip install --quiet --disable-pip-version-check --no-input --retries 8 \
        --no-deps --require-hashes --requirement "$python_lock"
    cp "$python_lock" "$python_target/.installed"
fi

if ! node_is_there; then
    printf 'Installing the npm packages of %s ...\n' "$node_wanted" >&2
    cp "$node_wanted/package.json" "$node_wanted/package-lock.json" "$node_target/"
    (cd "$node_target" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
    cp "$node_wanted/package-lock.json" "$node_target/.installed"
fi

if ! foreign_is_there; then
    printf 'Installing the npm packages of %s ...\n' "$foreign_wanted" >&2
    cp "$foreign_wanted/package.json" "$foreign_wanted/package-lock.json" "$foreign_target/"
    (cd "$foreign_target" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
    cp "$foreign_wanted/package-lock.json" "$foreign_target/.installed"
fi
