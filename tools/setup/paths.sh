# shellcheck shell=bash
# Where programs are that set-up has installed or that an ordinary user's path lacks.

# add_paths: the folder of e2fsprogs, and Debian's compiler if this project has unpacked it.
add_paths() {
  [[ :$PATH: == *:/usr/sbin:* ]] || export PATH=$PATH:/usr/sbin:/sbin
  use_debian_rust || true
}
