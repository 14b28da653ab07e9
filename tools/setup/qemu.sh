# shellcheck shell=bash
# QEMU, of a version whose exported functions the emulator plugin calls. All of these give the same runs.

# Of Debian 12's backports and of Debian 13.
readonly QEMU_VERSIONS=(10.0.2 10.0.13)
readonly QEMU_VERSION="${QEMU_VERSIONS[0]} or ${QEMU_VERSIONS[1]}"
readonly QEMU_PROGRAM=qemu-system-aarch64
readonly QEMU_SUITE=bookworm-backports

qemu_version_of() {
  "$1" --version 2>/dev/null | sed -n '1s/^QEMU emulator version \([0-9.]*\).*/\1/p'
}

qemu_way_out() {
  printf '%s\n' \
    "On Debian 12: add the suite $QEMU_SUITE and run, as root," \
    "  apt-get install --no-install-recommends -t $QEMU_SUITE qemu-system-arm" \
    "On Debian 13: apt-get install --no-install-recommends qemu-system-arm/trixie" \
    "Elsewhere: build QEMU $QEMU_VERSION (--target-list=aarch64-softmmu --enable-plugins)" \
    "and name the binary: RENGA_QEMU=/path/to/$QEMU_PROGRAM ./renga ..."
}

qemu_fail() {
  local advice
  mapfile -t advice < <(qemu_way_out)
  fail "$1" "${advice[@]}"
}

# has_suite NAME: whether the machine's own sources have it.
has_suite() {
  machine_sources | awk -v suite="$1" '$2 == suite { found = 1 } END { exit !found }'
}

# Debian 13 has a supported version itself; what its backports have is newer and not supported.
qemu_prepare_apt() {
  {
    machine_source_list
    has_suite trixie || source_line "$(debian_mirror)" "$QEMU_SUITE" main
  } | apt_prepare "$1" "$(dpkg --print-architecture)"
}

# qemu_first_supported: of apt's table of packages, the first version that is supported.
qemu_first_supported() {
  awk -v wanted="${QEMU_VERSIONS[*]}" '
    BEGIN { count = split(wanted, versions, " ") }
    { for (i = 1; i <= count; i++) if (index($3, "1:" versions[i] "+") == 1) { print $3; exit } }'
}

# qemu_supported VERSION
qemu_supported() {
  [[ " ${QEMU_VERSIONS[*]} " == *" $1 "* ]]
}

qemu_install_from() {
  local home=$1 version suite=$QEMU_SUITE
  ! has_suite trixie || suite=trixie
  apt_with "$home" get update || return
  version=$(apt_with "$home" cache madison qemu-system-arm | qemu_first_supported)
  if [[ -z $version ]]; then
    echo "$suite has no qemu-system-arm $QEMU_VERSION"
    return 1
  fi
  apt_install "$home" -t "$suite" "qemu-system-arm=$version"
}

qemu_install() {
  local home=$SETUP_DIR/apt-qemu
  apt_usable || qemu_fail "QEMU $QEMU_VERSION ($QEMU_PROGRAM) is not installed, and this machine has no apt with a Debian mirror"
  can_be_root || qemu_fail "QEMU $QEMU_VERSION ($QEMU_PROGRAM) is not installed, and installing it needs root or sudo"
  qemu_prepare_apt "$home"
  step "installing QEMU $QEMU_VERSION from Debian (22 packages, 15 MB)" qemu_install_from "$home" ||
    qemu_fail "QEMU $QEMU_VERSION could not be installed"
}

# ensure_qemu: sets RENGA_QEMU to a binary of a supported version, installing it if there is none.
ensure_qemu() {
  local found version
  if [[ -n ${RENGA_QEMU:-} ]]; then
    found=$(command -v "$RENGA_QEMU") || qemu_fail "RENGA_QEMU names no program: $RENGA_QEMU"
  else
    if ! command -v "$QEMU_PROGRAM" >/dev/null; then
      qemu_install
      hash -r
    fi
    found=$(command -v "$QEMU_PROGRAM") || qemu_fail "$QEMU_PROGRAM is still missing after its installation"
  fi
  version=$(qemu_version_of "$found")
  qemu_supported "$version" ||
    qemu_fail "$found is QEMU ${version:-of an unknown version}; the emulator supports $QEMU_VERSION"
  export RENGA_QEMU=$found
}
