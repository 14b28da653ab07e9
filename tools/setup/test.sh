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

# in_setup SCRIPT: runs a script after the parts of set-up are loaded, so that it can replace their questions to the machine.
in_setup() {
  # shellcheck disable=SC2016 # the variables are the inner shell's
  RENGA_ROOT=$root SETUP_DIR=$work/setup bash -c '
    set -euo pipefail
    for part in say apt qemu rust host_tools paths; do source "$RENGA_ROOT/tools/setup/$part.sh"; done
    eval "$1"' in_setup "$1"
}

# copy_of_script FOLDER: the script and what it reads, without a tool.
copy_of_script() {
  mkdir -p "$1/tools/setup" "$1/tools/cli"
  cp "$root/renga" "$root/Cargo.toml" "$root/rust-toolchain.toml" "$1/"
  cp "$root"/tools/setup/*.sh "$1/tools/setup/"
  cp -r "$root/tools/cli/help" "$1/tools/cli/"
}

# Holds: paths-spaces.
test_spaces() {
  local copy="$work/my work, too" programs="$work/my programs"
  copy_of_script "$copy"
  mkdir "$programs"
  cp "$(stub rustc 'echo rustc 1.95.0 and more')" "$programs/"
  # shellcheck disable=SC2016 # the variables are the stub's
  cp "$(stub cargo 'mkdir -p target/debug && printf "#!/bin/bash\nprintf \"<%%s>\" \"\$@\"\n" >target/debug/renga &&
    chmod +x target/debug/renga')" "$programs/"
  expect 'help in a folder with spaces' 0 'Usage: renga check' -- "$copy/renga" check --help
  expect 'a tool that is built in a folder with spaces' 0 '<check><my system.toml>' -- \
    env PATH="$programs:$PATH" "$copy/renga" check 'my system.toml'
}

# Holds: checkout-read-only.
test_read_only() {
  local copy="$work/read only"
  copy_of_script "$copy"
  if ! unshare -m true 2>/dev/null; then
    echo "skipped: a checkout that cannot be written (unshare -m)"
    return
  fi
  # shellcheck disable=SC2016 # the variables are the inner shell's
  local mount='mount --bind "$0" "$0" && mount -o remount,ro,bind "$0" && exec "$0/renga" "$@"'
  expect 'help of a checkout that cannot be written' 0 'Usage: renga check' -- unshare -m sh -c "$mount" "$copy" check --help
  expect 'a checkout that cannot be written' 1 'cannot be written' 'git clone' -- unshare -m sh -c "$mount" "$copy" check
}

test_qemu() {
  expect 'RENGA_QEMU that is no program' 1 'names no program' 'RENGA_QEMU=' -- \
    in_setup 'RENGA_QEMU=/no/such/qemu; ensure_qemu'
  expect 'another version of QEMU' 1 'is QEMU 9.2.0' 'supports 10.0.2 or 10.0.13' 'bookworm-backports' 'Debian 13' -- \
    in_setup "RENGA_QEMU=$(stub qemu-other 'echo QEMU emulator version 9.2.0'); ensure_qemu"
  expect 'the right version of QEMU' 0 'found it' -- \
    in_setup "RENGA_QEMU=$(stub qemu-right 'echo QEMU emulator version 10.0.2 \(Debian 1\)'); ensure_qemu && echo found it"
  expect 'the version of Debian 13' 0 'found it' -- \
    in_setup "RENGA_QEMU=$(stub qemu-13 'echo QEMU emulator version 10.0.13 \(Debian 1\)'); ensure_qemu && echo found it"
  expect 'a version that begins like a supported one' 1 'is QEMU 10.0.1;' -- \
    in_setup "RENGA_QEMU=$(stub qemu-short 'echo QEMU emulator version 10.0.1'); ensure_qemu"
  expect 'the supported one of several in apt' 0 '1:10.0.13+ds-0' -- \
    in_setup "printf 'q | %s | x\n' 1:11.1.3+ds-1 1:10.0.13+ds-0 | sed 's/|/ /; s/q  */q | /' | qemu_first_supported"
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
  expect 'rustup downloads nothing when forbidden' 1 'no apt' -- \
    in_setup "$forbidden; RUSTUP_AUTO_INSTALL=0; apt_usable() { false; }; rustup_install() { echo CALLED >$work/called; }
      ensure_target_library"
  expect 'it was not called' 1 -- test -e "$work/called"
  expect 'rustup is asked first when it may' 0 'flags: --sysroot=/s' -- \
    in_setup "rustup() { true; }; unset RUSTUP_AUTO_INSTALL; rustup_install() { touch $work/rustup; }
      target_ready() { [[ -e $work/rustup ]] && RENGA_SYSROOT=/s; }
      ensure_target_library; echo flags: \$RENGA_TARGET_RUSTFLAGS"
  local wasm="wasm_ready() { [[ -e $work/wasm ]]; }; rustup() { echo it has no network; return 1; }; unset RUSTUP_AUTO_INSTALL"
  expect "std for WebAssembly comes from Debian's source where rustup fails" 0 'it has no network' 'ready' -- \
    in_setup "$wasm; apt_usable() { true; }; wasm_from_debian_source() { touch $work/wasm; }; ensure_wasm_library; echo ready"
  rm "$work/wasm"
  expect 'no std for WebAssembly and no apt' 1 'it has no network' 'no apt' 'rustup toolchain install' -- \
    in_setup "$wasm; apt_usable() { false; }; ensure_wasm_library"
  expect 'std for WebAssembly that does not build' 1 'wrong source' 'could not be built' -- \
    in_setup "$wasm; apt_usable() { true; }; wasm_from_debian_source() { echo wrong source; return 1; }; ensure_wasm_library"
  expect 'no Rust and no apt' 1 'or newer is needed' 'rustup toolchain install' -- \
    in_setup "PATH=$(bare_path); ensure_compiler"
  expect 'versions are compared as versions' 0 -- \
    in_setup 'version_at_least 1.100.0 1.95.0 && version_at_least 1.95.0 1.95.0 && ! version_at_least 1.94.1 1.95.0 &&
      ! version_at_least "" 1.95.0'
}

test_command() {
  expect 'help without a compiler' 0 'Usage: renga' 'bench' -- env PATH="$(bare_path)" "$root/renga" --help
  expect 'no e2fsprogs, gcc or apt' 1 'e2fsprogs' 'gcc' 'apt-get install' -- \
    in_setup "PATH=$(bare_path); command() { [[ \$2 != mke2fs && \$2 != debugfs && \$2 != e2fsck ]] && builtin command \"\$@\"; }
      ensure_host_tools"
}

# container STEP: the arguments of that step in the Containerfile, a line each.
container() {
  sed -n "s/^$1 //p" "$root/tools/setup/Containerfile"
}

# containerfile_steps: whether each step of the Containerfile can be: a base that set-up knows, files that are there,
# scripts that take what they are given.
containerfile_steps() {
  local base source step what known
  base=$(container FROM)
  [[ $base == debian:bookworm || $base == debian:trixie ]] || { echo "set-up knows no $base"; return 1; }
  while read -r source _; do
    [[ -e $root/$source ]] || { echo "there is no $source"; return 1; }
  done < <(container COPY)
  known=$(sed -n 's/^# Usage: tools.setup.provide.sh //p' "$root/tools/setup/provide.sh")
  while read -r step; do
    what=${step#bash tools/setup/provide.sh }
    [[ $step == "./renga "* || "|$known|" == *"|$what|"* ]] || { echo "no such step: $step"; return 1; }
  done < <(container RUN)
}

test_container() {
  expect 'the steps of the Containerfile can be' 0 -- containerfile_steps
  expect 'the Containerfile names no package: set-up installs them' 1 -- \
    grep -E 'apt|dpkg|rustup|curl|wget' "$root/tools/setup/Containerfile"
  expect 'a machine without certificate authorities lacks their package' 0 'ca-certificates' -- \
    in_setup 'has_authorities() { false; }; missing_host_packages'
  expect 'what builds were made in is not copied to the container' 0 '/target' -- cat "$root/tools/setup/Containerfile.dockerignore"
}

# make_tree FOLDER: a project whose tool prints its arguments and is newer than its one source.
make_tree() {
  local tree=$1 folder
  mkdir -p "$tree/target/renga" "$tree/target/debug"
  cp -r "$root/renga" "$tree/"
  for folder in bench userland kernel/one netlink-hw/one sysprocs/one tools/one tools/emu/one; do
    mkdir -p "$tree/$folder"
    : >"$tree/$folder/Cargo.toml"
  done
  cp -r "$root/tools/setup" "$tree/tools/"
  cp -r "$root/tools/cli" "$tree/tools/"
  : >"$tree/Cargo.toml" >"$tree/Cargo.lock" >"$tree/rust-toolchain.toml"
  : >"$tree/source.rs"
  stub tool 'echo "the tool: $*"' >/dev/null
  mv "$work/tool" "$tree/target/debug/renga"
  echo "$tree/target/debug/renga: $tree/source.rs" >"$tree/target/debug/renga.d"
  sleep 0.1
  echo >"$tree/target/renga/tool.built"
}

# with_lock FILE COMMAND...: while another process has that lock.
with_lock() (
  exec {lock}>>"$1"
  flock "$lock"
  "${@:2}" {lock}>&-
)

test_built_tool() {
  local tree=$work/tree command path
  path=$(bare_path)
  make_tree "$tree"
  for command in run linux test bench check sim sweep trace top view image flash console doctor env completions; do
    expect "$command --help comes from the built tool, though set-up goes on elsewhere" 0 "the tool: $command --help" -- \
      with_lock "$tree/target/renga/setup.lock" env PATH="$path" "$tree/renga" "$command" --help
  done
  expect 'the version, too' 0 'the tool: --version' -- env PATH="$path" "$tree/renga" --version
  expect 'a tool newer than its sources runs without lock and cargo' 0 'the tool: check pair' -- \
    with_lock "$tree/target/renga/setup.lock" env PATH="$path" "$tree/renga" check pair
  touch "$tree/source.rs"
  expect 'help comes from the built tool though a source is newer' 0 'the tool: run --help' -- \
    env PATH="$path" "$tree/renga" run --help
  expect 'a tool older than a source is built' 1 'missing' -- env PATH="$path" "$tree/renga" check pair
  rm "$tree/target/debug/renga"
  expect 'help of a command before there is a tool' 0 'Usage: renga run' '--limit-s' -- \
    env PATH="$path" "$tree/renga" run --help
  expect 'help of what is below a command' 0 'Usage: renga bench p1' -- env PATH="$path" "$tree/renga" bench p1 --help
  expect 'the command that has a lock is named' 1 '(pid 7: ./renga run, since 12:00:00 UTC)' 'kill' -- \
    in_setup "echo 'pid 7: ./renga run, since 12:00:00 UTC' >$work/lock; flock() { return 1; }; wait_for_lock 9 $work/lock"
}

test_qemu
test_rust
test_command
test_container
test_built_tool
test_spaces
test_read_only
((failures == 0)) || { echo "set-up: $failures tests failed"; exit 1; }
echo 'set-up: all tests passed'
