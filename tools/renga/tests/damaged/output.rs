//! Outputs that cannot be written: a line and a status, before the work where the work is long; what was there stays.

use crate::support::{Folder, REFUSED, expect_refusal, renga};
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Holds: output-lost.
#[test]
fn full_standard_output_fails_with_line_and_closed_one_does_not() {
    let run = |arguments: &[&str], out: Stdio| {
        let mut renga = Command::new(env!("CARGO_BIN_EXE_renga"));
        renga.args(arguments).stdin(Stdio::null()).stdout(out).stderr(Stdio::piped()).output().expect("it was built")
    };
    let full = || File::options().write(true).open("/dev/full").expect("this host has /dev/full").into();
    for arguments in [&["check", "solo"][..], &["check", "solo", "--json"], &["image", "--list"], &["--help"]] {
        let output = run(arguments, full());
        let said = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(REFUSED), "{arguments:?}: {said}");
        assert!(said.starts_with("renga: standard output is not whole: "), "{arguments:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{arguments:?}: {said}");
        let (reader, writer) = std::io::pipe().expect("a pipe can be made");
        drop(reader);
        let output = run(arguments, writer.into());
        assert_eq!((output.status.code(), output.stderr.len()), (Some(0), 0), "{arguments:?}");
    }
}

/// Holds: output-lost.
#[test]
fn output_file_that_cannot_be_written_is_refused_before_the_run() {
    let folder = Folder::new("outputs");
    let file = folder.join("file");
    fs::write(&file, "old").expect("target/ can be written");
    let below = |name: &str| file.join(name);
    let option = |name: &str, path: &Path| format!("{name}={}", path.display());
    let run = |further: String| vec!["run".to_string(), "-c".to_string(), "true".to_string(), further];
    let commands: [(PathBuf, Vec<String>); 6] = [
        (below("json"), run(option("--json", &below("json")))),
        (below("trace"), run(option("--trace", &below("trace")))),
        (below("record"), run(option("--record", &below("record")))),
        (below("tree"), run(option("--extract", &below("tree")))),
        (below("disk"), vec!["image".into(), option("--out", &below("disk"))]),
        (below("dot"), vec!["check".into(), "solo".into(), option("--dot", &below("dot"))]),
    ];
    for (path, arguments) in commands {
        let arguments: Vec<_> = arguments.iter().map(AsRef::as_ref).collect();
        expect_refusal(&format!("{arguments:?}"), &path, &renga(&arguments));
    }
    assert_eq!(fs::read(&file).expect("it is there"), b"old");
}

/// A file behind a relative path belongs into the folder of the caller.
/// Holds: output-lost.
#[test]
fn output_relative_path_is_that_of_the_caller() {
    let folder = Folder::new("relative");
    fs::create_dir(folder.join("below")).expect("target/ can be written");
    let mut renga = Command::new(env!("CARGO_BIN_EXE_renga"));
    renga.args(["check", "solo", "--json=below/facts.json", "--dot=below/graph.dot"]);
    let output = renga.env("RENGA_ROOT", root()).current_dir(folder.join("")).output().expect("it was built");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let mut names: Vec<_> = fs::read_dir(folder.join("below")).expect("it is there").flatten().collect();
    names.sort_by_key(fs::DirEntry::file_name);
    let names: Vec<_> = names.iter().map(fs::DirEntry::file_name).collect();
    assert_eq!(names, ["facts.json", "graph.dot"]);
}

/// A file is replaced when the new one is whole, or stays.
/// Holds: output-lost.
#[test]
fn full_host_disk_keeps_the_old_file() {
    const SCRIPT: &str = "mount -t tmpfs -o size=16k renga . && cd \"$PWD\" || exit 77\n\
        echo old > facts.json\n\"$@\"\nended=$?\necho *\ncat facts.json\nexit $ended";
    let folder = Folder::new("full");
    let mut unshare = Command::new("unshare");
    unshare.args(["-m", "sh", "-c", SCRIPT, "sh", env!("CARGO_BIN_EXE_renga"), "check", "pair", "--json=facts.json"]);
    let output = unshare.env("RENGA_ROOT", root()).current_dir(folder.join("")).output();
    let output = match output {
        Ok(output) if output.status.code() != Some(77) && output.status.code() != Some(1) => output,
        _ => return renga_skip::skipped("this host lets no test mount a small file system (unshare -m)"),
    };
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(REFUSED), "{said}");
    assert!(said.contains("cannot write facts.json: No space left"), "{said}");
    assert!(output.stdout.ends_with(b"\nfacts.json\nold\n"), "{}", String::from_utf8_lossy(&output.stdout));
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}
