#!/bin/bash
# Fetches what Raspberry Pi boards load before the kernel: the boot firmware (Debian's raspi-firmware, trixie,
# non-free-firmware) and the boards' device trees (Debian's kernel for arm64, bookworm), each with its licence and with
# the packages' versions in `VERSIONS.TXT`. A private apt configuration is used; apt checks signatures and hashes. FOLDER
# appears when it is whole.
# Usage: fetch-firmware.sh HOME FOLDER
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=apt.sh
source "$here/apt.sh"

readonly FIRMWARE=(bootcode.bin start.elf fixup.dat start4.elf fixup4.dat)
readonly TREES=(bcm2837-rpi-3-a-plus bcm2837-rpi-3-b bcm2837-rpi-3-b-plus bcm2837-rpi-zero-2-w bcm2711-rpi-4-b)

# unpack_package DEB PATTERN...: those files of a package into the present folder.
unpack_package() {
  local deb=$1
  shift
  dpkg-deb --fsys-tarfile "$deb" | tar -x --wildcards "$@"
}

# copy_one FOLDER PATTERN TO: the one file that a pattern finds.
copy_one() {
  local found
  found=$(find "$1" -type f -path "$2" | head -n 1)
  [[ -n $found ]] || { echo "the packages have no $2" >&2; return 1; }
  cp "$found" "$3"
}

(($# == 2)) || { echo "usage: fetch-firmware.sh HOME FOLDER" >&2; exit 2; }
mkdir -p "$1" "$(dirname "$2")"
home=$(cd "$1" && pwd)
folder=$(cd "$(dirname "$2")" && pwd)/$(basename "$2")
apt_usable || { echo "no apt with a Debian mirror on this machine: firmware cannot be fetched" >&2; exit 1; }
mirror=$(debian_mirror)
{
  source_line "$mirror" trixie non-free-firmware
  source_line "$mirror" bookworm main
} | apt_prepare "$home" arm64
apt_with "$home" get update >&2
kernel=$(apt_with "$home" cache depends linux-image-arm64 | sed -n 's/^ *Depends: \(linux-image-[0-9][^:]*\).*/\1/p' | head -n 1)
[[ -n $kernel ]] || { echo "Debian has no kernel for arm64" >&2; exit 1; }
apt_download "$home" raspi-firmware "$kernel" >&2

partial=$folder.partial
rm -rf "$partial"
mkdir -p "$partial/unpacked"
cd "$partial/unpacked"
unpack_package "$home"/archives/raspi-firmware_*.deb '*/raspi-firmware/*'
unpack_package "$home"/archives/linux-image-*.deb '*/broadcom/bcm2*.dtb' '*/copyright'
for file in "${FIRMWARE[@]}"; do copy_one . "*/raspi-firmware/$file" "$partial/$file"; done
for tree in "${TREES[@]}"; do copy_one . "*/broadcom/$tree.dtb" "$partial/$tree.dtb"; done
copy_one . '*/doc/raspi-firmware/copyright' "$partial/LICENCE.FW"
copy_one . '*/doc/linux-image-*/copyright' "$partial/LICENCE.DTB"
for deb in "$home"/archives/*.deb; do dpkg-deb --show "$deb"; done >"$partial/VERSIONS.TXT"
rm -rf "$partial/unpacked" "$home"/archives/*.deb
rm -rf "$folder"
mv "$partial" "$folder"
