# shellcheck shell=bash
# Programs of the host that builds and runs use: the file system tools, the C linker, dpkg-deb, objcopy.

# PROGRAM:PACKAGE pairs; the programs of e2fsprogs lie in /sbin, which an ordinary user's path may lack.
readonly HOST_TOOLS=(mke2fs:e2fsprogs debugfs:e2fsprogs e2fsck:e2fsprogs cc:gcc dpkg-deb:dpkg tar:tar)

# Where systems keep the certificate authorities by which cargo knows the registry.
readonly AUTHORITIES=(/etc/ssl/certs/ca-certificates.crt /etc/ssl/cert.pem /etc/ssl/ca-bundle.pem /etc/pki/tls/certs/ca-bundle.crt)

has_authorities() {
  local file
  for file in "${SSL_CERT_FILE:-}" "${AUTHORITIES[@]}"; do
    [[ ! -e $file ]] || return 0
  done
  return 1
}

missing_host_packages() {
  local pair
  {
    for pair in "${HOST_TOOLS[@]}"; do
      command -v "${pair%%:*}" >/dev/null || echo "${pair##*:}"
    done
    has_authorities || echo ca-certificates
  } | sort -u
}

# What tests use beside; without it those tests are skipped or fail.
readonly TEST_TOOLS=(dot:graphviz losetup:mount bzip2:bzip2 xz:xz-utils)

# ensure_test_tools: installs what tests use, if it can; says what is left out.
ensure_test_tools() { ensure_pairs "${TEST_TOOLS[@]}"; }

# ensure_pairs PROGRAM:PACKAGE...: installs the packages whose programs are absent, if it can.
ensure_pairs() {
  local pair packages=()
  for pair in "$@"; do
    command -v "${pair%%:*}" >/dev/null || packages+=("${pair##*:}")
  done
  ((${#packages[@]} == 0)) || install_for_tests "${packages[@]}"
}

# What tests of pages use.
readonly PAGE_TOOLS=(chromium:chromium node:nodejs)

# ensure_browser: installs what tests of pages use, if it can.
ensure_browser() { ensure_pairs "${PAGE_TOOLS[@]}"; }

install_for_tests() {
  if apt_usable && can_be_root && step "installing $* from Debian" install_host_packages "$@"; then
    hash -r
  else
    say "tests that need these host packages cannot run: $*"
  fi
}

install_host_packages() {
  local home=$SETUP_DIR/apt-host
  machine_source_list | apt_prepare "$home" "$(dpkg --print-architecture)"
  apt_with "$home" get update && apt_install "$home" "$@"
}

ensure_host_tools() {
  local packages
  mapfile -t packages < <(missing_host_packages)
  ((${#packages[@]} > 0)) || return 0
  [[ " ${packages[*]} " != *" gcc "* ]] || packages+=(libc6-dev)
  { apt_usable && can_be_root; } ||
    fail "these host packages are missing: ${packages[*]}" "Install them, on Debian as root: apt-get install ${packages[*]}"
  step "installing ${packages[*]} from Debian" install_host_packages "${packages[@]}" ||
    fail "could not install: ${packages[*]}" "Install them, on Debian as root: apt-get install ${packages[*]}"
  hash -r
}

# A toolchain's own objcopy needs the toolchain's libraries; Debian's llvm is as good.
find_objcopy() {
  local sysroot host candidate
  sysroot=$(in_root rustc --print sysroot)
  host=$(in_root rustc -vV | sed -n 's/^host: //p')
  for candidate in "$sysroot/lib/rustlib/$host/bin/"{rust-objcopy,llvm-objcopy}; do
    [[ ! -x $candidate ]] || { printf '%s\n%s\n' "$candidate" "$sysroot/lib"; return; }
  done
  candidate=$(command -v llvm-objcopy) || candidate=$(compgen -c llvm-objcopy- | head -n1)
  [[ -n $candidate ]] && candidate=$(command -v "$candidate") && printf '%s\n\n' "$candidate"
}

unpack_llvm() {
  local home=$SETUP_DIR/apt-host
  machine_source_list | apt_prepare "$home" "$(dpkg --print-architecture)"
  apt_with "$home" get update && apt_unpack "$home" "$SETUP_DIR/llvm" llvm-14
}

# ensure_objcopy: sets RENGA_OBJCOPY to a program that copies AArch64 ELF files to raw images.
ensure_objcopy() {
  local found program libraries wrapper=$SETUP_DIR/bin/objcopy
  mapfile -t found < <(find_objcopy)
  program=${found[0]:-} libraries=${found[1]:-}
  if [[ -z $program ]]; then
    program=$SETUP_DIR/llvm/usr/bin/llvm-objcopy-14
    libraries=$SETUP_DIR/llvm/usr/lib/$(gcc -print-multiarch):$SETUP_DIR/llvm/usr/lib/llvm-14/lib
    [[ -x $program ]] || { apt_usable && step "unpacking llvm-objcopy from Debian into target/" unpack_llvm; } ||
      fail "there is no llvm-objcopy" "With rustup: rustup component add llvm-tools. On Debian: apt-get install llvm"
  fi
  mkdir -p "$SETUP_DIR/bin"
  write_wrapper "$wrapper" "$libraries" "$program"
  export RENGA_OBJCOPY=$wrapper
}
