#!/bin/bash
# Fetches Debian bookworm packages of another architecture by name, with a private apt configuration, and prints the
# paths of the fetched files. apt checks their signatures and hashes. What is fetched already is not fetched again.
# Usage: fetch-packages.sh HOME ARCHITECTURE PACKAGE...
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=apt.sh
source "$here/apt.sh"

(($# >= 3)) || { echo "usage: fetch-packages.sh HOME ARCHITECTURE PACKAGE..." >&2; exit 2; }
mkdir -p "$1"
home=$(cd "$1" && pwd)
architecture=$2
shift 2
apt_usable || { echo "no apt with a Debian mirror on this machine: Debian packages cannot be fetched" >&2; exit 1; }
source_line "$(debian_mirror)" bookworm main | apt_prepare "$home" "$architecture"
apt_with "$home" get update >&2
apt_download "$home" "$@" >&2
printf '%s\n' "$home"/archives/*.deb
