#!/bin/bash
# Fetches Debian bookworm packages of another architecture by name, with a private apt configuration, and prints the
# paths of the fetched files. apt checks their signatures and hashes.
# Usage: fetch-packages.sh HOME ARCHITECTURE alone|closed|source|names [PACKAGE...]
#   alone   the named packages only
#   closed  they and all that they depend on, as apt resolves it for an empty machine, without what is recommended
#   source  what the named source packages are made of: archives of their sources and of Debian's changes
#   names   no files: the names of all packages that there are
# Status: 0, 1 if apt refuses (its words are on standard error), 3 if the mirror's lists cannot be had.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=apt.sh
source "$here/apt.sh"

(($# >= 3)) || { echo "usage: fetch-packages.sh HOME ARCHITECTURE alone|closed|source|names [PACKAGE...]" >&2; exit 2; }
mkdir -p "$1"
home=$(cd "$1" && pwd)
architecture=$2
what=$3
shift 3
apt_usable || { echo "no apt with a Debian mirror on this machine: Debian packages cannot be fetched" >&2; exit 1; }
line=$(source_line "$(debian_mirror)" bookworm main)
[[ $what != source ]] || line=${line/#deb/deb-src}
apt_prepare "$home" "$architecture" <<<"$line"
if [[ $what == names ]]; then
  exec apt-cache -c "$home/apt.conf" -q pkgnames
fi
apt_with "$home" get -o APT::Update::Error-Mode=any update >&2 || exit 3
case $what in
  alone) apt_download "$home" "$@" >&2 ;;
  closed)
    rm -f "$home"/archives/*.deb
    apt_with "$home" get -y --no-install-recommends --download-only install "$@" >&2
    ;;
  source)
    find "$home/archives" -maxdepth 1 -type f ! -name lock -delete
    (cd "$home/archives" && apt_with "$home" get source --download-only "$@") >&2
    find "$home/archives" -maxdepth 1 -name '*.tar.*' ! -name '*.asc' | sort
    exit
    ;;
esac
printf '%s\n' "$home"/archives/*.deb
