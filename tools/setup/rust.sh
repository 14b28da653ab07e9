# shellcheck shell=bash
# The Rust toolchain of rust-toolchain.toml (or a newer one) and its library for the boards' target. Ways, in this order:
# what is there; rustup; Debian's source of exactly the installed rustc, built into a sysroot of this project; Debian's
# newest compiler with its own source, unpacked into this project. Nothing is ever written into a toolchain's own folder:
# a later `rustup target add` would leave two copies of `core` there.

readonly TARGET=aarch64-unknown-none-softfloat
readonly WASM_TARGET=wasm32-unknown-unknown
readonly RUST_SOURCE_SUITES=(trixie-backports forky sid)
readonly DEBIAN_RUST_PACKAGES=(rustc-web cargo-web rust-web-src lld-19)

rust_wanted() {
  sed -n 's/^channel *= *"\([0-9.]*\)".*/\1/p' "$RENGA_ROOT/rust-toolchain.toml"
}

# version_at_least HAVE WANT
version_at_least() {
  [[ -n $1 && $(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n1) == "$2" ]]
}

# in_root COMMAND...: in the project's folder, where rust-toolchain.toml holds, wherever ./renga was called.
in_root() {
  (cd "$RENGA_ROOT" && "$@")
}

rustc_version() {
  in_root rustc -V 2>/dev/null | cut -d' ' -f2 | cut -d- -f1
}

rust_good_enough() {
  command -v cargo >/dev/null && version_at_least "$(rustc_version)" "$(rust_wanted)"
}

# use_other_toolchain: takes an installed stable toolchain that is new enough under another name.
use_other_toolchain() {
  local name
  command -v rustup >/dev/null || return
  while read -r name _; do
    [[ $name != nightly* && $name != beta* ]] || continue
    if version_at_least "$(rustup run "$name" rustc -V 2>/dev/null | cut -d' ' -f2)" "$(rust_wanted)"; then
      export RUSTUP_TOOLCHAIN=$name
      return
    fi
  done < <(rustup toolchain list 2>/dev/null)
  return 1
}

# RUSTUP_AUTO_INSTALL=0 is the user's word that rustup is not to download anything.
rustup_may_download() {
  command -v rustup >/dev/null && [[ ${RUSTUP_AUTO_INSTALL:-1} != 0 ]]
}

# In the project's folder `rustup toolchain install` takes the channel, targets and components of rust-toolchain.toml.
rustup_install() {
  in_root rustup toolchain install
}

has_target_library() {
  compgen -G "$1/libcore-*.rlib" >/dev/null
}

# target_ready: whether the library is in the toolchain or in this project's sysroot; sets RENGA_SYSROOT for the latter.
target_ready() {
  local sysroot
  if has_target_library "$(in_root rustc --print target-libdir --target "$TARGET" 2>/dev/null)"; then
    unset RENGA_SYSROOT
    return
  fi
  sysroot=$(project_sysroot)
  has_target_library "$sysroot/lib/rustlib/$TARGET/lib" && export RENGA_SYSROOT=$sysroot
}

project_sysroot() {
  printf '%s/sysroot-%s' "$SETUP_DIR" "$(rustc_version)"
}

# fetch_rust_source VERSION FOLDER: Debian's library source of that very version; others fail with "unknown lang item".
fetch_rust_source() {
  local version=$1 folder=$2 suite home found
  for suite in "${RUST_SOURCE_SUITES[@]}"; do
    home=$SETUP_DIR/apt-$suite
    source_line "$(debian_mirror)" "$suite" main | apt_prepare "$home" "$(dpkg --print-architecture)"
    apt_with "$home" get update || continue
    found=$(apt_with "$home" cache madison rust-src | awk -v want="$version+" 'index($3, want) == 1 { print $3; exit }')
    [[ -n $found ]] || continue
    apt_download "$home" "rust-src=$found" || return
    mkdir -p "$folder"
    dpkg-deb --fsys-tarfile "$home"/archives/rust-src_*.deb |
      tar -x -C "$folder" --strip-components=4 "./usr/src/rustc-$version/library" || return
    rm -f "$home"/archives/*.deb
    return
  done
  echo "no suite of ${RUST_SOURCE_SUITES[*]} has rust-src $version"
  return 1
}

# build_sysroot LIBRARY_SOURCE: builds core and alloc for the boards from source into the project's sysroot.
build_sysroot() {
  RUSTFLAGS=-Cembed-bitcode=yes build_library "$1" "$TARGET" "$(project_sysroot)" \
    -Zbuild-std=core,alloc,compiler_builtins -Zbuild-std-features=compiler-builtins-mem
}

# build_library LIBRARY_SOURCE TARGET SYSROOT CARGO_OPTION...: builds the crates that the options name into a sysroot.
build_library() {
  local source=$1 target=$2 sysroot=$3 work=$3-work
  shift 3
  mkdir -p "$work/src"
  echo '#![no_std]' >"$work/src/lib.rs"
  printf '[package]\nname = "seed"\nversion = "0.0.0"\nedition = "2024"\n[profile.release]\npanic = "abort"\n[workspace]\n' \
    >"$work/Cargo.toml"
  (
    # The library's places are in what is built with it: without a path of this machine.
    cd "$work" && unset CARGO_TARGET_DIR &&
      RUSTC_BOOTSTRAP=1 __CARGO_TESTS_ONLY_SRC_ROOT=$source \
        CARGO_ENCODED_RUSTFLAGS=${RUSTFLAGS:+$RUSTFLAGS$'\x1f'}--remap-path-prefix=$source=/rustc/library \
        cargo build --release --target "$target" --target-dir "$work/target" "$@"
  ) || return
  # Renamed into place at the end, so that an interrupted copy is not taken for a sysroot.
  rm -rf "$sysroot" "$work/sysroot" "$work/target/$target"/release/deps/libseed*
  mkdir -p "$work/sysroot/lib/rustlib/$target/lib"
  cp "$work/target/$target"/release/deps/lib*.rlib "$work/sysroot/lib/rustlib/$target/lib/" &&
    mv "$work/sysroot" "$sysroot" && rm -rf "$work"
}

sysroot_from_debian_source() {
  debian_source && build_sysroot "$(debian_source_folder)/library"
}

debian_source_folder() {
  printf '%s/rust-src-%s' "$SETUP_DIR" "$(rustc_version)"
}

# debian_source: has the library source of the installed rustc there.
debian_source() {
  local source
  source=$(debian_source_folder)
  [[ -e $source/library/Cargo.lock ]] || fetch_rust_source "$(rustc_version)" "$source"
}

# unpack_debian_rust: Debian's newest compiler, below target/, with its programs behind small scripts that show them
# their libraries.
unpack_debian_rust() {
  local home=$SETUP_DIR/apt-rust-web folder=$1
  machine_source_list | apt_prepare "$home" "$(dpkg --print-architecture)"
  apt_with "$home" get update || return
  rm -rf "$folder.new"
  apt_unpack "$home" "$folder.new" "${DEBIAN_RUST_PACKAGES[@]}" || return
  rm -rf "$folder" && mv "$folder.new" "$folder"
}

wrap_debian_rust() {
  local folder=$1 program libraries
  libraries=$(find "$folder/usr/lib" -name '*.so*' -path '*-linux-gnu*' -not -path '*/rustlib/*' -printf '%h\n' | sort -u | paste -sd:)
  mkdir -p "$folder/bin"
  for program in rustc rustdoc cargo; do
    write_wrapper "$folder/bin/$program" "$libraries" "$folder/usr/bin/$program"
  done
  write_wrapper "$folder/bin/rust-lld" "$libraries" "$folder/usr/bin/ld.lld-19"
}

# write_wrapper SCRIPT LIBRARY_PATH PROGRAM: a script that runs the program with its own libraries.
write_wrapper() {
  # shellcheck disable=SC2016 # the variables are the script's
  printf '#!/bin/sh\nLD_LIBRARY_PATH="%s${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}" exec "%s" "$@"\n' "$2" "$3" >"$1"
  chmod +x "$1"
}

# use_debian_rust: puts the unpacked compiler first on the path, where it is new enough.
use_debian_rust() {
  local folder=$SETUP_DIR/rust-web
  [[ -x $folder/bin/cargo ]] || return
  export PATH=$folder/bin:$PATH
  export RENGA_TARGET_LINKER=$folder/bin/rust-lld
  unset RUSTUP_TOOLCHAIN
  hash -r
}

install_debian_rust() {
  local folder=$SETUP_DIR/rust-web
  unpack_debian_rust "$folder" && wrap_debian_rust "$folder"
}

sysroot_from_debian_rust() {
  build_sysroot "$(compgen -G "$SETUP_DIR/rust-web/usr/src/rustc-*/library" | head -n1)"
}

rust_fail() {
  fail "$1" \
    "With rustup: run \`rustup toolchain install\` in $RENGA_ROOT" \
    "(RUSTUP_AUTO_INSTALL=0 forbids it to download; unset it to allow ./renga to do this)." \
    "On Debian 12: ./renga takes the compiler from Debian; that needs apt with the main and security suites."
}

# take_debian_rust: unpacks Debian's compiler and uses it from now on.
take_debian_rust() {
  step "unpacking Debian's Rust compiler into target/ (180 MB)" install_debian_rust ||
    rust_fail "Debian's Rust compiler could not be unpacked"
  use_debian_rust || rust_fail "Debian's Rust compiler was unpacked without cargo"
  rust_good_enough || rust_fail "Debian's Rust is $(rustc_version), older than $(rust_wanted)"
}

# ensure_compiler: a cargo and rustc that are new enough, on the path.
ensure_compiler() {
  use_debian_rust || true
  rust_good_enough && return
  use_other_toolchain && rust_good_enough && return
  if rustup_may_download; then
    step "installing Rust $(rust_wanted) by rustup" rustup_install && rust_good_enough && return
  fi
  apt_usable || rust_fail "Rust $(rust_wanted) or newer is needed, found: $(rustc_version || true)"
  take_debian_rust
}

# ensure_target_library: core and alloc for the boards' target; sets RENGA_SYSROOT and RENGA_TARGET_RUSTFLAGS.
ensure_target_library() {
  target_ready || make_target_library
  RENGA_TARGET_RUSTFLAGS=${RENGA_SYSROOT:+--sysroot=$RENGA_SYSROOT}
  RENGA_TARGET_RUSTFLAGS+=${RENGA_TARGET_LINKER:+ -Clinker=$RENGA_TARGET_LINKER}
  export RENGA_TARGET_RUSTFLAGS=${RENGA_TARGET_RUSTFLAGS# }
}

make_target_library() {
  if [[ -z ${RENGA_TARGET_LINKER:-} ]]; then
    rustup_may_download && step "installing the $TARGET library by rustup" rustup_install && target_ready && return
    apt_usable || rust_fail "Rust's library for $TARGET is not installed, and this machine has no apt with a Debian mirror"
    step "building the $TARGET library from Debian's rust-src $(rustc_version) (about 40 s)" sysroot_from_debian_source &&
      target_ready && return
    say "the installed rustc got no library that way: taking Debian's compiler and its own source"
    take_debian_rust
    target_ready && return
  fi
  step "building the $TARGET library from the source of Debian's compiler" sysroot_from_debian_rust ||
    rust_fail "the library for $TARGET could not be built"
  target_ready || rust_fail "the library for $TARGET is still missing after its build"
}

# wasm_ready: whether std for WebAssembly is in the toolchain or in a sysroot of this project; sets
# RENGA_WASM_RUSTFLAGS.
wasm_ready() {
  local sysroot
  if has_target_library "$(in_root rustc --print target-libdir --target "$WASM_TARGET" 2>/dev/null)"; then
    export RENGA_WASM_RUSTFLAGS=
    return
  fi
  sysroot=$(wasm_sysroot)
  has_target_library "$sysroot/lib/rustlib/$WASM_TARGET/lib" || return
  export RENGA_WASM_RUSTFLAGS="--sysroot=$sysroot"
}

wasm_sysroot() {
  printf '%s/sysroot-wasm-%s' "$SETUP_DIR" "$(rustc_version)"
}

wasm_from_source() {
  RUSTFLAGS= build_library "$1" "$WASM_TARGET" "$(wasm_sysroot)" -Zbuild-std=std,panic_abort
}

wasm_from_debian_source() {
  debian_source && wasm_from_source "$(debian_source_folder)/library"
}

# ensure_wasm_library: std for WebAssembly. Debian's compiler brings the linker beside lld.
ensure_wasm_library() {
  local web=$SETUP_DIR/rust-web
  wasm_ready || make_wasm_library
  if [[ -n ${RENGA_TARGET_LINKER:-} ]]; then
    ln -sf "$web/usr/bin/wasm-ld-19" "$web/bin/wasm-ld"
    export RENGA_WASM_RUSTFLAGS="$RENGA_WASM_RUSTFLAGS -Clinker=$web/bin/wasm-ld"
  fi
}

# make_wasm_library: of Debian's compiler from its own source; else by rustup, and if that fails from Debian's source.
make_wasm_library() {
  local version
  if [[ -n ${RENGA_TARGET_LINKER:-} ]]; then
    step "building std for WebAssembly (about 40 s)" \
      wasm_from_source "$(compgen -G "$SETUP_DIR/rust-web/usr/src/rustc-*/library" | head -n1)" && wasm_ready && return
    rust_fail "std for WebAssembly could not be built"
  fi
  rustup_may_download && step "installing std for WebAssembly by rustup" in_root rustup target add "$WASM_TARGET" &&
    wasm_ready && return
  apt_usable || rust_fail "std for WebAssembly is not installed, and this machine has no apt with a Debian mirror"
  version=$(rustc_version)
  step "building std for WebAssembly from Debian's rust-src $version (about 40 s)" wasm_from_debian_source &&
    wasm_ready && return
  rust_fail "std for WebAssembly could not be built"
}
