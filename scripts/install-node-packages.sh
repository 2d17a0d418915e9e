#!/usr/bin/env bash
# Installs the locked npm packages that the local network needs into .local/node, unless they are there.
# Usage: scripts/install-node-packages.sh      Two at once are safe: the second one waits.
# Linux on x86-64 has its node there; elsewhere ANVIL=/path/to/anvil names one, and nothing is installed.
set -euo pipefail
cd "$(dirname "$0")/.."
wanted=localnet/node
target=.local/node

is_there() { cmp --silent "$wanted/package-lock.json" "$target/.installed"; }

if [ -n "${ANVIL:-}" ] || is_there; then exit 0; fi
scripts/install-packages.sh node npm
mkdir -p "$target"
exec 9>"$target/.lock"
flock 9
if is_there; then exit 0; fi
printf 'Installing the npm packages of %s ...\n' "$wanted" >&2
cp "$wanted/package.json" "$wanted/package-lock.json" "$target/"
(cd "$target" && npm ci --ignore-scripts --no-audit --no-fund --loglevel=error >&2)
cp "$wanted/package-lock.json" "$target/.installed"
