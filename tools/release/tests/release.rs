//! A release made in two folders is the same, and runs where there is neither Rust nor a checkout.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::time::Instant;

/// Where the other checkout and the unpacked release lie, beside the checkout that the test belongs to.
struct Fixture {
    root: PathBuf,
    folder: PathBuf,
}

impl Fixture {
    fn new() -> Fixture {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().expect("the checkout");
        // One name, so that a run after one that failed need not build everything again.
        let folder = std::env::temp_dir().join("renga-release");
        fs::create_dir_all(&folder).expect("there is a temporary folder");
        Fixture { root, folder }
    }

    /// The sources in another folder, whose name has a space, with the packages that the checkout has fetched.
    fn other_checkout(&self) -> PathBuf {
        let other = self.folder.join("another checkout");
        fs::create_dir_all(other.join("target/renga")).expect("it can be made");
        let copy = r#"tar -c -C "$1" --exclude ./target --exclude ./.git . | tar -x -C "$2"
            rm -rf "$2/target/renga/packages-arm64"
            cp -r "$1/target/renga/packages-arm64" "$2/target/renga/"
            [ ! -e "$1/target/renga/mdbook" ] || cp -r "$1/target/renga/mdbook" "$2/target/renga/""#;
        succeed(Command::new("bash").args(["-euc", copy, "copy"]).arg(&self.root).arg(&other));
        other
    }

    /// The archive that a checkout makes.
    fn release(&self, checkout: &Path, name: &str) -> PathBuf {
        let out = self.folder.join(name);
        let mut command = Command::new(env!("CARGO_BIN_EXE_renga-release"));
        command.arg("release").arg("--out").arg(&out).env("RENGA_ROOT", checkout);
        // Cargo's own variables, of the run of this test.
        command.env_remove("CARGO").env_remove("CARGO_TARGET_DIR").env_remove("CARGO_MANIFEST_DIR");
        if !self.root.join("target/renga/mdbook").exists() {
            command.arg("--no-book");
        }
        succeed(&mut command);
        out
    }
}

impl Drop for Fixture {
    fn drop(&mut self) {
        // What differs is to be seen.
        if !std::thread::panicking() {
            let _ = fs::remove_dir_all(&self.folder);
        }
    }
}

fn succeed(command: &mut Command) -> Output {
    let output = command.output().expect("it starts");
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output
}

/// The entries of an archive and what they contain.
fn entries(archive: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let file = fs::File::open(archive).expect("it was made");
    let mut archive = tar::Archive::new(flate2::read::GzDecoder::new(file));
    let read = |entry: std::io::Result<tar::Entry<'_, _>>| {
        let mut entry = entry.expect("it is whole");
        let (path, mut bytes) = (entry.path().expect("a plain name").into_owned(), Vec::new());
        entry.read_to_end(&mut bytes).expect("it is whole");
        (path, bytes)
    };
    archive.entries().expect("it is an archive").map(read).collect()
}

/// The names of entries that one of the archives has otherwise.
fn different(one: &Path, other: &Path) -> Vec<PathBuf> {
    let (one, other) = (entries(one), entries(other));
    one.keys().chain(other.keys()).filter(|path| one.get(*path) != other.get(*path)).cloned().collect()
}

/// A release, unpacked on a machine that has neither Rust nor the checkout: their folders are empty there.
struct Machine {
    release: PathBuf,
    hidden: Vec<PathBuf>,
    path: OsString,
}

impl Machine {
    fn new(fixture: &Fixture, archive: &Path) -> Machine {
        succeed(Command::new("tar").arg("-xzf").arg(archive).arg("-C").arg(&fixture.folder));
        let release =
            fixture.folder.join(format!("renga-{}-{}-linux", env!("CARGO_PKG_VERSION"), std::env::consts::ARCH));
        let home = PathBuf::from(std::env::var_os("HOME").expect("users have one"));
        let of = |variable: &str, usual: &str| std::env::var_os(variable).map_or(home.join(usual), PathBuf::from);
        let mut hidden = vec![fixture.root.clone(), of("CARGO_HOME", ".cargo"), of("RUSTUP_HOME", ".rustup")];
        hidden.retain(|folder| folder.is_dir());
        let path = std::env::var_os("PATH").expect("there is one");
        let has_rust = |folder: &PathBuf| ["cargo", "rustc", "rustup"].iter().any(|name| folder.join(name).exists());
        let folders =
            std::env::split_paths(&path).filter(|folder| !has_rust(folder) && !folder.starts_with(&fixture.root));
        let path = std::env::join_paths(folders).expect("they were in a path");
        Machine { release, hidden, path }
    }

    /// `./renga` with these arguments.
    fn run(&self, arguments: &[&str]) -> Output {
        let hide =
            r#"for folder in "${@:2:$1}"; do mount -t tmpfs hidden "$folder"; done; shift $(($1 + 1)); exec "$@""#;
        let mut command = Command::new("unshare");
        if !is_root() {
            command.arg("--map-root-user");
        }
        command.args(["--mount", "bash", "-euc", hide, "hide"]).arg(self.hidden.len().to_string()).args(&self.hidden);
        command.arg(self.release.join("renga")).args(arguments).current_dir("/");
        command.env_clear().env("PATH", &self.path).env("HOME", "/nonexistent").env("TERM", "dumb");
        let begin = Instant::now();
        let output = command.output().expect("unshare is there");
        println!("renga {}: {}, {:.1} s", arguments.join(" "), output.status, begin.elapsed().as_secs_f64());
        output
    }

    fn expect_success(&self, arguments: &[&str]) -> String {
        let output = self.run(arguments);
        let [out, err] = [&output.stdout, &output.stderr].map(|text| String::from_utf8_lossy(text).into_owned());
        assert!(output.status.success(), "{arguments:?}: {}\n{out}{err}", output.status);
        out
    }

    /// Refused, with a last line that has a way out.
    fn expect_refusal(&self, arguments: &[&str]) {
        let output = self.run(arguments);
        let said = String::from_utf8_lossy(&output.stderr).into_owned();
        assert_eq!(output.status.code(), Some(125), "{arguments:?}: {said}");
        let last = said.lines().last().unwrap_or_default();
        assert!(last.ends_with("use a clone of the repository"), "{arguments:?}: {said}");
    }
}

fn is_root() -> bool {
    let id = Command::new("id").arg("-u").output().expect("id is there");
    id.stdout == b"0\n"
}

/// Holds: release-reproducible, release-without-rust.
#[test]
#[ignore = "builds a release twice: renga test --long=release"]
fn release_of_two_folders_is_equal_and_runs_without_rust() {
    let fixture = Fixture::new();
    let first = fixture.release(&fixture.root, "first.tar.gz");
    let other = fixture.other_checkout();
    let second = fixture.release(&other, "second.tar.gz");
    fs::remove_dir_all(&other).expect("it is ours");
    if fs::read(&first).expect("it was made") != fs::read(&second).expect("it was made") {
        panic!("two folders give two releases; different are {:?}", different(&first, &second));
    }
    fs::remove_file(&second).expect("it is ours");

    let machine = Machine::new(&fixture, &first);
    machine.expect_success(&["run", "-c", "true"]);
    let names = machine.expect_success(&["run", "-c", "uname -n; remote -b b uname -n"]);
    assert_eq!(names, "a\nb\n");
    assert!(machine.expect_success(&["check", "pair"]).starts_with("System pair"));
    machine.expect_success(&["sim", "--seeds", "3"]);
    assert!(machine.expect_success(&["bench", "rendezvous"]).starts_with("Instructions on the booted image"));
    assert!(machine.expect_success(&["--help"]).starts_with("Renga"));
    for refused in [
        &["test", "--host"][..],
        &["env"],
        &["release"],
        &["sim", "--browser"],
        &["run", "--garbage", "-c", "true"],
        &["run", "--hostile", "b", "-c", "true"],
        &["test", "--mutants"],
    ] {
        machine.expect_refusal(refused);
    }
}
