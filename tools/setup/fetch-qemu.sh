#!/bin/bash
# Fetches the QEMU of a Debian suite with all that it needs, unpacks it into a folder and prints the path of a program
# there that runs it. Needs no root and installs nothing; apt checks signatures and hashes.
# Usage: tools/setup/fetch-qemu.sh FOLDER SUITE
# Status: 0, or 1 if the suite or its QEMU cannot be had.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=apt.sh
source "$here/apt.sh"

# prepare HOME SUITE: a private apt that knows one suite, and takes nothing for installed. Backports build on their suite.
prepare() {
  local home=$1 suite=$2
  {
    source_line "$(debian_mirror)" "$suite" main
    [[ $suite != *-backports ]] || source_line "$(debian_mirror)" "${suite%-backports}" main
  } | apt_prepare "$home" "$(dpkg --print-architecture)"
  : >"$home/status"
  printf 'Dir::State::status "%s/status";\n' "$home" >>"$home/apt.conf"
}

# write_program FOLDER: a script that runs the unpacked QEMU with the unpacked libraries.
write_program() {
  local folder=$1 loader libraries
  loader=$(find "$folder" -name 'ld-linux*.so.*' ! -type d | sort | head -n1)
  libraries=$(find "$folder" -name '*.so*' -path '*-linux-gnu*' -printf '%h\n' | sort -u | paste -sd:)
  # shellcheck disable=SC2016 # the variables are the script's
  printf '#!/bin/sh\nexec "%s" --library-path "%s" "%s" "$@"\n' \
    "$loader" "$libraries" "$folder/usr/bin/qemu-system-aarch64" >"$folder/qemu-system-aarch64"
  chmod +x "$folder/qemu-system-aarch64"
}

main() {
  (($# == 2)) || { echo "usage: tools/setup/fetch-qemu.sh FOLDER SUITE" >&2; exit 2; }
  apt_usable || { echo "no apt with a Debian mirror on this machine" >&2; exit 1; }
  local folder suite=$2 home deb
  mkdir -p "$1"
  folder=$(cd "$1" && pwd)
  home=$folder/apt
  prepare "$home" "$suite"
  apt_with "$home" get -o APT::Update::Error-Mode=any update >&2
  apt_with "$home" get -y --no-install-recommends --download-only -t "$suite" install qemu-system-arm >&2
  for deb in "$home"/archives/*.deb; do dpkg-deb -x "$deb" "$folder/root"; done
  rm -f "$home"/archives/*.deb
  write_program "$folder/root"
  echo "$folder/root/qemu-system-aarch64"
}

main "$@"
