#!/bin/bash
# The one command of Renga, as released: becomes the program `renga`, which was built before. What it makes and fetches
# stays below `target` in this folder.
set -euo pipefail

RENGA_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")" && pwd)
export RENGA_ROOT
# The programs of e2fsprogs, which an ordinary user's path may lack.
[[ :$PATH: == *:/usr/sbin:* ]] || export PATH=$PATH:/usr/sbin:/sbin
(($# > 0)) || set -- --help
exec "$RENGA_ROOT/prebuilt/bin/renga" "$@"
