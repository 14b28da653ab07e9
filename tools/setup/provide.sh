#!/bin/bash
# Finds, or else installs, what a command of the tool needs, and prints the settings as NAME=VALUE lines. Called by the
# tool (tools/workspace/src/environment.rs). Progress and errors go to stderr.
# Usage: tools/setup/provide.sh boards|qemu|tests|browser|wasm
#   boards   RENGA_SYSROOT            a sysroot with the boards' core and alloc, where the toolchain has none
#            RENGA_TARGET_RUSTFLAGS   the compiler flags that every build for the boards needs (may be empty)
#            RENGA_OBJCOPY            a program that makes raw images of ELF files
#   wasm     RENGA_WASM_RUSTFLAGS     the compiler flags that builds for WebAssembly need (may be empty)
#   qemu     RENGA_QEMU               the QEMU binary, of exactly the version that the emulator supports
#   tests    what tests use beside
#   browser  the browser and the node of tests of pages
set -euo pipefail

RENGA_ROOT=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/../.." && pwd)
readonly SETUP_DIR=$RENGA_ROOT/target/renga

for part in say apt qemu rust host_tools paths; do
  # shellcheck source=/dev/null
  source "$RENGA_ROOT/tools/setup/$part.sh"
done

provide_boards() {
  ensure_host_tools
  ensure_compiler
  ensure_target_library
  ensure_objcopy
}

provide_wasm() {
  ensure_host_tools
  ensure_compiler
  ensure_wasm_library
}

# print_settings NAME...: those that are set, an empty value too.
print_settings() {
  local name
  for name in "$@"; do
    [[ -z ${!name+set} ]] || printf '%s=%s\n' "$name" "${!name}"
  done
}

main() {
  add_paths
  mkdir -p "$SETUP_DIR"
  if command -v flock >/dev/null; then
    exec {provide_lock}>>"$SETUP_DIR/provide.lock"
    wait_for_lock "$provide_lock" "$SETUP_DIR/provide.lock"
    TZ=UTC printf 'pid %d: ./renga, which provides %s, since %(%H:%M:%S)T UTC\n' "$PPID" "$1" -1 >"$SETUP_DIR/provide.lock"
  fi
  # Standard output is for the settings alone.
  case $1 in
    boards) provide_boards >&2 && print_settings PATH RUSTUP_TOOLCHAIN RENGA_SYSROOT RENGA_TARGET_RUSTFLAGS RENGA_OBJCOPY ;;
    wasm) provide_wasm >&2 && print_settings PATH RUSTUP_TOOLCHAIN RENGA_WASM_RUSTFLAGS ;;
    qemu) ensure_qemu >&2 && print_settings RENGA_QEMU ;;
    tests) ensure_test_tools >&2 ;;
    browser) ensure_browser >&2 ;;
    *) fail "nothing is called $1: boards, qemu, tests, browser, wasm" ;;
  esac
}

main "$@"
