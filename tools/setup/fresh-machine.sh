#!/bin/bash
# Tries a command of ./renga on a fresh Debian 12, made by debootstrap in a folder, with the installed Rust toolchain
# copied in (or none, with --no-rust) and nothing else. RUSTUP_AUTO_INSTALL=0 holds there. Needs root.
# Usage: tools/setup/fresh-machine.sh [--no-rust] FOLDER ARGUMENTS_OF_RENGA...
set -euo pipefail

RENGA_ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
SETUP_DIR=$RENGA_ROOT/target/renga
# shellcheck disable=SC2034 # used by say.sh
SETUP_LOG=$SETUP_DIR/fresh-machine.log
# shellcheck source-path=SCRIPTDIR source=say.sh
source "$RENGA_ROOT/tools/setup/say.sh"
# shellcheck source-path=SCRIPTDIR source=apt.sh
source "$RENGA_ROOT/tools/setup/apt.sh"

# What a machine for development has; no QEMU, no LLVM.
readonly PACKAGES=ca-certificates,gcc,libc6-dev,git

make_machine() {
  local machine=$1 home=$SETUP_DIR/apt-host
  machine_source_list | apt_prepare "$home" "$(dpkg --print-architecture)"
  apt_with "$home" get update && apt_unpack "$home" "$SETUP_DIR/debootstrap" debootstrap || return
  DEBOOTSTRAP_DIR=$SETUP_DIR/debootstrap/usr/share/debootstrap \
    "$SETUP_DIR/debootstrap/usr/sbin/debootstrap" --variant=minbase --include="$PACKAGES" \
    bookworm "$machine" "$(debian_mirror)" || return
  machine_source_list >"$machine/etc/apt/sources.list"
  # How this machine reaches its mirrors.
  cp -r /etc/apt/apt.conf.d "$machine/etc/apt/"
  cp /etc/resolv.conf /etc/hosts "$machine/etc/"
  # Certificate authorities that the machine's network adds.
  cp -rL /usr/local/share/ca-certificates "$machine/usr/local/share/" && chroot "$machine" update-ca-certificates
}

copy_rust() {
  local machine=$1 toolchain
  toolchain=$(cd "$RENGA_ROOT" && rustc --print sysroot)
  mkdir -p "$machine/opt/rust"
  tar -c -C "$toolchain" --exclude ./share/doc . | tar -x -C "$machine/opt/rust"
}

copy_project() {
  mkdir -p "$1/root/renga"
  tar -c -C "$RENGA_ROOT" --exclude ./target . | tar -x -C "$1/root/renga"
}

# run_there MACHINE ARGUMENTS...: ./renga on the machine, with /proc, /dev and /sys in a mount name space that ends with it.
run_there() {
  # shellcheck disable=SC2016 # the variables are the inner shells'
  env -i HOME=/root TERM="${TERM:-dumb}" RUSTUP_AUTO_INSTALL=0 \
    PATH=/opt/rust/bin:/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
    unshare --mount bash -c '
      mount -t proc proc "$1/proc" && mount --rbind /dev "$1/dev" && mount --rbind /sys "$1/sys" || exit
      exec chroot "$1" /bin/bash -c "cd /root/renga && exec ./renga \"\$@\"" renga "${@:2}"' fresh-machine "$@"
}

main() {
  local rust=yes machine
  if [[ ${1:-} == --no-rust ]]; then rust=no && shift; fi
  (($# >= 2)) || fail 'usage: tools/setup/fresh-machine.sh [--no-rust] FOLDER ARGUMENTS_OF_RENGA...'
  ((EUID == 0)) || fail 'a machine in a folder needs root (chroot)'
  machine=$1
  shift
  [[ ! -e $machine ]] || fail "$machine is there already" "Remove it, or name another folder."
  step "making a fresh Debian 12 in $machine" make_machine "$machine" || fail 'debootstrap failed'
  [[ $rust == no ]] || step 'copying Rust to it' copy_rust "$machine"
  copy_project "$machine"
  say "there: ./renga $*"
  time run_there "$machine" "$@"
}

main "$@"
