#!/bin/bash
# Unpacks Slurm and MUNGE, with what of their dependencies this machine lacks, into a folder; installs nothing.
# For the test that has a sweep carried out by them. Usage: fetch-slurm.sh HOME FOLDER. Status: 0, or 1 with a reason.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
# shellcheck source-path=SCRIPTDIR source=apt.sh
source "$here/apt.sh"

(($# == 2)) || { echo "usage: fetch-slurm.sh HOME FOLDER" >&2; exit 2; }
mkdir -p "$1" "$2"
home=$(cd "$1" && pwd)
folder=$(cd "$2" && pwd)
apt_usable || { echo "no apt with a Debian mirror on this machine" >&2; exit 1; }
machine_source_list | apt_prepare "$home" "$(dpkg --print-architecture)"
apt_with "$home" get update && apt_unpack "$home" "$folder" slurm-wlm munge
