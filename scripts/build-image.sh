#!/usr/bin/env bash
# Builds the image of the Dockerfile where no registry of images is reached: buildah, over a base that debootstrap makes
# of Debian's packages and that is tagged as the image which the Dockerfile names.
# Usage: scripts/build-image.sh [REQUIREMENTS]      base (or nothing), kms or traces
# Leaves .local/image/causeway.tar (for `docker load` or `podman load`) and the image `causeway` in .local/image/storage.
# Needs Linux with Debian's apt, and root with mounts: packages are unpacked and started in roots of their own. Addresses
# of Debian's mirror and of Python's index are those that this machine's apt and pip are set to.
set -euo pipefail
shopt -s inherit_errexit
cd "$(dirname "$0")/.."
requirements="${1:-base}"
release=bookworm
limit=1200 # seconds of each step: what hangs ends
target="$PWD/.local/image"

say() { printf '%s\n' "$*" >&2; }
refuse() { say "The image cannot be built here: $*"; exit 1; }
within() { timeout --kill-after 10 "$limit" "$@"; }
# Runs a command whose output is shown only when it fails.
quietly() { running="$1"; "$@" >"$target/log" 2>&1; running=''; }
exec 8>&2
trap '[ -z "${running:-}" ] || { tail -n 20 "$target/log"; say "The image was not built: see above."; } >&8 2>&8' EXIT
store() { within buildah --root "$target/storage" --runroot "$target/run" "$@"; }

[ "$(id -u)" -eq 0 ] || refuse "only root may make devices and roots of programs. Run it as root, or: docker build ."
command -v apt-get >/dev/null || refuse "this machine has no apt-get. Where images are reached: docker build ."
unshare --mount true 2>/dev/null || refuse "this machine lets even root mount nothing. Where images are reached: docker build ."
scripts/install-packages.sh buildah debootstrap
mkdir -p "$target"
exec 9>"$target/lock"
flock 9 # two at once are safe: the second one waits

# Where apt is set to fetch a suite of Debian's from.
source_of() {
    apt-get indextargets --format '$(REPO_URI)' 'Identifier: Packages' 'Origin: Debian' "Codename: $1" 'Component: main' | sed -n 1p
}

make_base() {
    local root="$1" mirror suite uri
    within apt-get update # a machine that never did knows no origins
    mirror="$(source_of "$release")"
    [ -n "$mirror" ] || refuse "apt knows no source of Debian's $release. Name one in its sources."
    within debootstrap --variant=minbase --include=ca-certificates,python3-venv "$release" "$root" "$mirror"
    for suite in "$release" "$release-updates" "$release-security"; do
        uri="$(source_of "$suite")"
        [ -z "$uri" ] || echo "deb $uri $suite main"
    done >"$root/etc/apt/sources.list"
    within chroot "$root" apt-get update
    within chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get dist-upgrade --yes --no-install-recommends
    ln -s /usr/bin/python3 "$root/usr/local/bin/python"
    printf '[global]\nno-index = true\nfind-links = /mnt\n' >"$root/etc/pip.conf" # the build brings the packages
    # What belongs to this machine, and what only people and installers read.
    rm -rf "$root"/etc/{apt/sources.list,resolv.conf,hostname} "$root"/var/{cache,lib/apt/lists,log,tmp}/* \
        "$root"/usr/share/{bash-completion,bug,doc,info,lintian,locale,man} "$root"/tmp/*
    find "$root/usr" -name __pycache__ -prune -exec rm -rf {} +
    within chroot "$root" python3 -m compileall -q -j 0 /usr/lib/python3.11
}

# The base, made once a day for each recipe: Debian mends its packages.
image_named="$(sed -n 's/^FROM \([^ ]*\).*/\1/p' Dockerfile | sort -u)"
recipe="$(sha256sum "$0" | cut -c -12)-$(date -u +%Y%m%d)"
if ! store inspect --type image "localhost/debian-base:$recipe" >/dev/null 2>&1; then
    say "Making the base of Debian's packages (about a minute) ..."
    rm -rf "$target/storage" "$target/run"
    container="$(store from scratch)"
    quietly make_base "$(store mount "$container")"
    store config --env PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin --cmd python "$container"
    store commit --quiet --rm "$container" "localhost/debian-base:$recipe" >/dev/null
    store tag "localhost/debian-base:$recipe" "localhost/$image_named"
fi

# Also what only an older Python than this one needs: that of the base is one, and pip asks its own alone.
say "Fetching Python's packages of requirements/$requirements.txt ..."
sed -E 's/ ; python_full_version <[^\\]*//' "requirements/$requirements.txt" >"$target/wanted.txt"
if ! cmp --silent "$target/wanted.txt" "$target/wheels/.fetched"; then
    quietly within .venv/bin/python -m pip download --disable-pip-version-check --no-input --retries 8 --no-deps \
        --only-binary :all: --require-hashes --requirement "$target/wanted.txt" --dest "$target/wheels"
    cp "$target/wanted.txt" "$target/wheels/.fetched"
fi

say "Building the image ..."
quietly store build --isolation chroot --pull-never --layers --build-arg "REQUIREMENTS=$requirements" \
    --volume "$target/wheels:/mnt:ro" --tag causeway .
rm -f "$target/causeway.tar"
store push --quiet causeway "docker-archive:$target/causeway.tar:causeway:latest"
say "The image is $target/causeway.tar, $(du -m "$target/causeway.tar" | cut -f 1) MB."
