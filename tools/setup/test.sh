#!/bin/bash
# Tests of set-up: each failure ends with status 1, its reason and a way out, and installs nothing.
# Usage: tools/setup/test.sh
# Holds: setup-messages.
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failures=0

# Without these no machine is a machine; everything else is missing on the path of the tests.
readonly BASICS=(bash env dirname readlink mkdir cat sed sort head tail cut grep awk wc sleep date flock uname)

# A folder with the basics and nothing else, for use as a whole path.
bare_path() {
  local folder=$work/bare-$RANDOM program
  mkdir "$folder"
  for program in "${BASICS[@]}"; do ln -sf "$(command -v "$program")" "$folder/$program"; done
  echo "$folder"
}

# stub NAME TEXT: a program of that name whose body is the text; prints its path.
stub() {
  printf '#!/bin/bash\n%s\n' "$2" >"$work/$1"
  chmod +x "$work/$1"
  echo "$work/$1"
}

# expect NAME STATUS PATTERNS -- COMMAND...: its status, and each pattern in what it prints.
expect() {
  local name=$1 wanted_status=$2 patterns=() status=0 said pattern
  shift 2
  while [[ $1 != -- ]]; do patterns+=("$1"); shift; done
  shift
  said=$("$@" 2>&1 </dev/null) || status=$?
  for pattern in "${patterns[@]}"; do
    [[ $said == *"$pattern"* ]] || { status="$status, without '$pattern'"; break; }
  done
  if [[ $status == "$wanted_status" ]]; then
    echo "ok: $name"
  else
    printf 'FAILED: %s: status %s, wanted %s; it said:\n%s\n' "$name" "$status" "$wanted_status" "$said"
    failures=$((failures + 1))
  fi
}

# in_setup SCRIPT: runs a script after the pieces of set-up are loaded, so that it can replace what they ask the machine.
in_setup() {
  # shellcheck disable=SC2016 # the variables are the inner shell's
  RENGA_ROOT=$root SETUP_DIR=$work/setup SETUP_LOG=$work/setup.log bash -c '
    set -euo pipefail
    for piece in say apt qemu rust host_tools; do source "$RENGA_ROOT/tools/setup/$piece.sh"; done
    eval "$1"' in_setup "$1"
}

test_qemu() {
  expect 'RENGA_QEMU that is no program' 1 'names no program' 'RENGA_QEMU=' -- \
    in_setup 'RENGA_QEMU=/no/such/qemu; ensure_qemu'
  expect 'another version of QEMU' 1 'is QEMU 9.2.0' 'exactly 10.0.2' 'bookworm-backports' -- \
    in_setup "RENGA_QEMU=$(stub qemu-other 'echo QEMU emulator version 9.2.0'); ensure_qemu"
  expect 'the right version of QEMU' 0 'found it' -- \
    in_setup "RENGA_QEMU=$(stub qemu-right 'echo QEMU emulator version 10.0.2 \(Debian 1\)'); ensure_qemu && echo found it"
  expect 'no QEMU and no apt' 1 'not installed' 'no apt' 'RENGA_QEMU=' -- \
    in_setup "PATH=$(bare_path); unset RENGA_QEMU; ensure_qemu"
  expect 'no QEMU and no root' 1 'needs root or sudo' 'apt-get install' -- \
    in_setup "PATH=$(bare_path); unset RENGA_QEMU; apt_usable() { true; }; can_be_root() { false; }; ensure_qemu"
  expect 'a failing installation of QEMU' 1 'no network today' 'could not be installed' 'RENGA_QEMU=' -- \
    in_setup "PATH=$(bare_path); unset RENGA_QEMU; apt_usable() { true; }; can_be_root() { true; }
      qemu_prepare_apt() { true; }; qemu_install_from() { echo no network today; return 1; }; ensure_qemu"
}

test_rust() {
  local forbidden='rustup() { echo RUSTUP CALLED; }; target_ready() { false; }'
  expect 'rustup downloads nothing when told not to' 1 'no apt' -- \
    in_setup "$forbidden; RUSTUP_AUTO_INSTALL=0; apt_usable() { false; }; rustup_install() { echo CALLED >$work/called; }
      ensure_target_library"
  expect 'it was not called' 1 -- test -e "$work/called"
  expect 'rustup is asked first when it may' 0 'flags: --sysroot=/s' -- \
    in_setup "rustup() { true; }; unset RUSTUP_AUTO_INSTALL; rustup_install() { touch $work/rustup; }
      target_ready() { [[ -e $work/rustup ]] && RENGA_SYSROOT=/s; }
      ensure_target_library; echo flags: \$RENGA_TARGET_RUSTFLAGS"
  expect 'no Rust and no apt' 1 'or newer is needed' 'rustup toolchain install' -- \
    in_setup "PATH=$(bare_path); ensure_compiler"
  expect 'versions are compared as versions' 0 -- \
    in_setup 'version_at_least 1.100.0 1.95.0 && version_at_least 1.95.0 1.95.0 && ! version_at_least 1.94.1 1.95.0 &&
      ! version_at_least "" 1.95.0'
}

test_command() {
  expect 'help without a compiler' 0 'Usage: ./renga' 'bench' -- env PATH="$(bare_path)" "$root/renga" --help
  expect 'no e2fsprogs, gcc or apt' 1 'e2fsprogs' 'gcc' 'apt-get install' -- \
    in_setup "PATH=$(bare_path); command() { [[ \$2 != mke2fs && \$2 != debugfs && \$2 != e2fsck ]] && builtin command \"\$@\"; }
      ensure_host_tools"
}

test_qemu
test_rust
test_command
((failures == 0)) || { echo "set-up: $failures tests failed"; exit 1; }
echo 'set-up: all tests passed'
