//! Debian's programs by package name: the image `dev` boots, its programs work on both boards, and a request for an
//! absent package lists the present ones.

use crate::support::{Disk, Renga, clusters_can_run, root, work};
use renga_images::disk_image::{self, DiskChoice, FsckVerdict, ImageError, ImageSpec, fetch_source};
use std::fs;
use std::path::PathBuf;

/// What runs on a board; `$1` is its name.
const SESSION: &str = r#"
export LC_ALL=C TZ=UTC
mkdir /tmp/$1 && cd /tmp/$1
cat > primes.c <<'END'
#include <stdio.h>
#include <stdlib.h>
int main(int count, char **words) {
    int most = atoi(words[1]), found = 0;
    for (int n = 2; n < most; n++) {
        int d = 2;
        while (d * d <= n && n % d) d++;
        if (d * d > n) found++;
    }
    printf("%d primes below %d\n", found, most);
    return found == 168 ? 0 : 1;
}
END
tcc -o primes primes.c && ./primes 1000; echo tcc $?
ls -la --time-style=+%Y primes.c | tr -s ' '; echo ls $?
ls -1d /bin /usr/share/doc/tcc; echo links $?
seq 200 | sort -rn | head -n 2; echo sort $?
gawk -F: '{ sum += $3 } END { printf "%d %s\n", sum, strftime("%Y", 0, 1) }' /etc/passwd; echo gawk $?
lua5.4 -e 'local t = {} for w in ("b c a"):gmatch("%a") do t[#t+1] = w end table.sort(t) print(table.concat(t))'; echo lua $?
sqlite3 t.db 'create table t(a, b); insert into t values (1, 2), (3, 4); select sum(a * b) from t;'; echo sqlite3 $?
bash -c 'a=(x y z); echo ${#a[@]} ${a[2]}'; echo bash $?
printf 'all: one\n\t@echo made $<\none:\n\t@echo one > one\n' > Makefile; make; echo make $?
python3 -c 'import json; print(json.dumps({"a": [1, 2]}))'; echo python3 $?
perl -e 'print join(",", map { $_ * 2 } 1 .. 3), "\n"'; echo perl $?
printf '.TH A 1\n.SH NAME\nhello\n' | nroff -man | grep -c hello; echo nroff $?
mkdir d && echo hi > d/f && ln -s f d/l && tar cf d.tar d && rm -r d && tar xf d.tar && cat d/l; echo tar $?
awk --version | head -n 1 | cut -d, -f 1; echo awk $?
"#;

const EXPECTED: &str = "168 primes below 1000
tcc 0
-rw-r--r-- 1 root root 336 2026 primes.c
ls 0
/bin
/usr/share/doc/tcc
links 0
200
199
sort 0
66535 1970
gawk 0
abc
lua 0
14
sqlite3 0
3 z
bash 0
made one
make 0
{\"a\": [1, 2]}
python3 0
2,4,6
perl 0
1
nroff 0
hi
tar 0
GNU Awk 5.2.1
awk 0
";

pub(crate) fn dev() -> DiskChoice {
    DiskChoice { flavour: "dev".into(), ..DiskChoice::default() }
}

/// Whether the packages of the image are here or can be fetched; if not, the test that asks is skipped.
pub(crate) fn packages_can_be_had() -> bool {
    match disk_image::prepare(&ImageSpec { choice: dev(), ..ImageSpec::new(&root()) }, &mut |_| {}) {
        Ok(()) => true,
        Err(ImageError::Unreachable { .. }) => {
            renga_skip::skipped("the Debian mirror cannot be reached for the packages of the image dev");
            false
        }
        Err(error) => panic!("{error}"),
    }
}

/// What a source package of Debian holds; nothing if it cannot be fetched, so that the test that asks is skipped.
pub(crate) fn sources_of(package: &str) -> Option<PathBuf> {
    match fetch_source(&root(), &work(), package, &mut |_| {}) {
        Ok(folder) => Some(folder),
        Err(ImageError::Unreachable { .. }) => {
            renga_skip::skipped("the Debian mirror cannot be reached for the sources of programs");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Holds: linux-binaries.
#[test]
fn image_dev_programs_run_on_both_boards() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let session = "sh /host/session.sh a; echo; remote -b b sh /host/session.sh b";
    let files = [("/host/session.sh".to_string(), SESSION.as_bytes().to_vec())];
    let disk = Disk::of("dev", dev(), session, &files);
    let ended = disk.run().expect_status(0).expect_text(&format!("{EXPECTED}\n{EXPECTED}"));
    disk.expect_clean(&ended);
}

/// Holds: images-licences.
#[test]
fn image_dev_packages_have_licences() {
    if !packages_can_be_had() {
        return;
    }
    let disk = Disk::of("licences", dev(), "true", &[]);
    assert_eq!(disk_image::fsck(&disk.image()).expect("e2fsck runs"), FsckVerdict::Clean);
    let list = String::from_utf8(disk.file("/etc/renga/packages")).expect("names are text");
    assert!(list.lines().count() > 100, "{list}");
    let tree = disk.tree();
    let without = |package: &&str| {
        let name = package.split('_').next().unwrap_or_default();
        fs::metadata(tree.join("usr/share/doc").join(name).join("copyright")).is_err()
    };
    let without: Vec<&str> = list.lines().filter(without).collect();
    assert!(without.is_empty(), "{without:?}");
}

/// Holds: images-names.
#[test]
fn image_unknown_flavour_lists_known_ones() {
    // Set-up that builds for the boards is what it needs, too.
    if !clusters_can_run() {
        return;
    }
    let refused = |arguments: &[&str], proxy: &str| {
        let run = Renga::command(&[&["image"], arguments].concat()).setting("http_proxy", proxy);
        run.end().expect_status(125).stderr
    };
    // No server listens there.
    let no_server = "http://localhost:9";
    let said = refused(&["--packages", "renga-is-no-package"], no_server);
    assert!(said.contains("cannot be reached") && said.contains("--list"), "{said}");
    let said = refused(&["--packages", "Foo*"], no_server);
    assert!(said.contains("cannot be a package"), "{said}");
    let said = refused(&["--image", "devel"], no_server);
    assert!(said.contains("there are dev, small"), "{said}");
    if !packages_can_be_had() {
        return;
    }
    let proxy = std::env::var("http_proxy").unwrap_or_default();
    let said = refused(&["--packages", "gawkk"], &proxy);
    assert!(said.contains("no package gawkk; did you mean gawk"), "{said}");
}

/// Holds: images-listed.
#[test]
fn image_list_shows_flavours() {
    let text = Renga::command(&["image", "--list"]).end().expect_status(0).text();
    for part in ["small: ", "dev: ", "named     busybox-static", "  packages  "] {
        assert!(text.contains(part), "no {part} in\n{text}");
    }
}
