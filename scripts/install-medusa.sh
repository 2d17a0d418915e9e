#!/usr/bin/env bash
# Installs the Medusa that the proofs of sdks/medusa run on, locked, into .local/sdks-medusa unless it is there: 680 MB.
# Usage: scripts/install-medusa.sh      Two at once are safe: the second one waits.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=sdks/checks/medusa
target=.local/sdks-medusa

is_there() { cmp --silent "$wanted/package-lock.json" "$target/.installed"; }

if is_there; then exit 0; fi
mkdir -p "$target"
exec 9>.local/.sdks-medusa-lock
flock 9
if is_there; then exit 0; fi
printf 'Installing the npm packages of %s ...\n' "$wanted" >&2
cp "$wanted/package.json" "$wanted/package-lock.json" "$target/"
(cd "$target" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
cp "$wanted/package-lock.json" "$target/.installed"
