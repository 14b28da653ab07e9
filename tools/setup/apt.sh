# shellcheck shell=bash
# apt with a configuration of its own: sources, lists and caches lie under target/renga, the machine's own are neither
# changed nor refreshed. Only the addresses of the machine's Debian mirror are taken from it. Signatures are checked by
# apt as ever, against Debian's keyring.

readonly DEBIAN_KEYRING=/usr/share/keyrings/debian-archive-keyring.gpg

# machine_sources: the machine's own Debian suites as `uri suite` lines (main suite, updates and security), whether or
# not it has ever fetched their lists. Other vendors use other suites or components.
machine_sources() {
  # shellcheck disable=SC2016 # apt's own variables
  apt-get indextargets --no-release-info --format '$(REPO_URI) $(RELEASE)' \
    'Created-By: Packages' 'Component: main' 2>/dev/null |
    awk '$2 ~ /^(bookworm|trixie|stable|oldstable)(-updates|-security)?$/ && !seen[$1, $2]++ { print $1, $2 }'
}

# debian_mirror: the address this machine fetches Debian itself (not its security updates) from.
debian_mirror() {
  machine_sources | awk '$2 !~ /-/ { print $1; exit }'
}

# apt_prepare HOME ARCH: makes the folders and the configuration of a private apt; standard input is its sources list.
# An architecture that is not this machine's gets an empty package database of its own.
apt_prepare() {
  local home=$1 arch=$2
  mkdir -p "$home"/lists/partial "$home"/archives/partial
  cat >"$home/sources.list"
  {
    printf 'Dir::Etc::sourcelist "%s/sources.list";\nDir::Etc::sourceparts "-";\n' "$home"
    printf 'Dir::State::lists "%s/lists";\nDir::Cache::archives "%s/archives";\n' "$home" "$home"
    printf 'Dir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\n'
    printf 'APT::Sandbox::User "root";\nAcquire::Languages "none";\nAcquire::Retries "3";\n'
    printf '#clear APT::Update::Post-Invoke;\n#clear APT::Update::Post-Invoke-Success;\n'
    local index # what desktop software adds to every update
    for index in DEP-11 DEP-11-icons-small DEP-11-icons DEP-11-icons-hidpi CNF; do
      printf 'Acquire::IndexTargets::deb::%s::DefaultEnabled "false";\n' "$index"
    done
    if [[ $arch != "$(dpkg --print-architecture)" ]]; then
      : >"$home/status"
      printf '#clear APT::Architectures;\nAPT::Architecture "%s";\nAPT::Architectures { "%s"; };\n' "$arch" "$arch"
      printf 'Dir::State::status "%s/status";\n' "$home"
    fi
  } >"$home/apt.conf"
}

# apt_with HOME get|cache ARGUMENTS...
apt_with() {
  local home=$1 command=$2
  shift 2
  DEBIAN_FRONTEND=noninteractive "apt-$command" -c "$home/apt.conf" -q "$@"
}

# source_line URI SUITE COMPONENT...: one line of a sources list.
source_line() {
  printf 'deb [signed-by=%s] %s\n' "$DEBIAN_KEYRING" "$*"
}

# machine_source_list: the machine's own Debian suites as a sources list.
machine_source_list() {
  machine_sources | while read -r uri suite; do source_line "$uri" "$suite" main; done
}

# apt_usable: whether this is a Debian machine with apt and a mirror.
apt_usable() {
  command -v apt-get >/dev/null && command -v dpkg >/dev/null && [[ -e $DEBIAN_KEYRING && -n $(debian_mirror) ]]
}

# as_root COMMAND...: directly for root, by sudo otherwise.
as_root() {
  if ((EUID == 0)); then "$@"; else sudo "$@"; fi
}

# can_be_root: whether as_root can succeed: root, or sudo that needs no password or has a terminal to ask on.
can_be_root() {
  ((EUID == 0)) || { command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; }; }
}

# apt_install HOME ARGUMENTS...: `apt-get install` from a private configuration, as root.
apt_install() {
  local home=$1
  shift
  as_root env DEBIAN_FRONTEND=noninteractive apt-get -c "$home/apt.conf" -q -y -o Dpkg::Use-Pty=0 \
    install --no-install-recommends "$@"
}

# apt_unpack HOME FOLDER PACKAGE...: unpacks the packages, and what they depend on and this machine lacks, into a folder.
# Needs no root and installs nothing.
apt_unpack() {
  local home=$1 folder=$2 names
  shift 2
  mapfile -t names < <(apt_with "$home" get -s install --no-install-recommends "$@" | awk '$1 == "Inst" { print $2 }')
  ((${#names[@]} > 0)) || names=("$@")
  apt_download "$home" "${names[@]}" || return
  mkdir -p "$folder"
  local deb
  for deb in "$home"/archives/*.deb; do
    dpkg-deb -x "$deb" "$folder" || return
    rm -f "$deb"
  done
}

# apt_download HOME PACKAGE...: the packages' files into HOME/archives.
apt_download() {
  local home=$1
  shift
  rm -f "$home"/archives/*.deb
  (cd "$home/archives" && apt_with "$home" get download "$@")
}
