//! The help of every command, and messages that refuse a command line, against files in `help`.
//!
//! `RENGA_BLESS=1 cargo test -p renga-cli` rewrites the files. The `renga` script prints them while no tool is built.
//! No `trycmd`, which runs built programs: these tests need none, and the script needs each help in a file of its own.

use clap::CommandFactory;
use clap::error::ErrorKind;
use renga_cli::{Cli, hint};
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Command lines that are refused, each for another reason.
const REFUSED: [&str; 35] = [
    "",
    "nope",
    "run ls -l",
    "run --nope",
    "run --profile pi5",
    "run --set link.rate_mbit_s=0",
    "run --cores 5",
    "run -c true -f script",
    "run --bare",
    "run --limit-s 1m",
    "linux -c true --limit-s 5",
    "test --long=all",
    "test --long --host",
    "test --fuzz 60",
    "bench",
    "bench p1 --again",
    "bench compare before after",
    "bench map --jobs 0",
    "check --system pair",
    "sim --boards 9",
    "sweep seeds --slurm --jobs 2",
    "trace",
    "top t --interval-s 0",
    "flash --yes",
    "flash --image card.img /dev/sdX",
    "console /dev/ttyUSB0 --record folder",
    "completions csh",
    "system",
    "crash -f script",
    "image --inspect",
    "cluster new --boards 9",
    "cluster new --cores 3",
    "doctor qemu",
    "docs guides",
    "env --json",
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("help")
}

/// What `renga WORDS --help` prints, for `command` and those below it, by the names of their files.
fn helps(command: &clap::Command, words: &[&str], found: &mut BTreeMap<String, String>) {
    let line = ["renga"].iter().chain(words).chain(&["--help"]);
    let help = Cli::command().term_width(100).try_get_matches_from(line).expect_err("a help ends the parser");
    let name = if words.is_empty() { "renga".to_string() } else { words.join("-") };
    found.insert(name, help.to_string());
    command.get_subcommands().for_each(|below| helps(below, &[words, &[below.get_name()]].concat(), found));
}

fn compare(found: &BTreeMap<String, String>) {
    for (name, text) in found {
        let path = folder().join(format!("{name}.txt"));
        if std::env::var_os("RENGA_BLESS").is_some() {
            fs::create_dir_all(folder()).expect("the folder can be made");
            fs::write(&path, text).expect("the file can be written");
        }
        let kept = fs::read_to_string(&path).unwrap_or_default();
        assert!(kept == *text, "{} differs (RENGA_BLESS=1 rewrites it); now:\n{text}", path.display());
    }
}

#[test]
fn help_of_every_command_is_the_kept_one() {
    let mut found = BTreeMap::new();
    helps(&Cli::command(), &[], &mut found);
    compare(&found);
    let kept = fs::read_dir(folder()).expect("it is there").flatten().map(|entry| entry.path());
    let names = kept.filter_map(|path| path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
    let stale: Vec<String> = names.filter(|name| name != "refused" && !found.contains_key(name)).collect();
    assert!(stale.is_empty(), "no command has the help of {stale:?}");
}

#[test]
fn refusal_of_bad_command_lines_is_the_kept_one() {
    let mut text = String::new();
    for line in REFUSED {
        let words = line.split(' ').filter(|word| !word.is_empty());
        let words_with_name = std::iter::once("renga").chain(words.clone());
        let error = Cli::command().term_width(100).try_get_matches_from(words_with_name).expect_err(line);
        let hint = hint(&error, words.map(String::from)).map(|hint| format!("\n{hint}\n")).unwrap_or_default();
        text += &format!("$ renga {line}\n{error}{hint}\n");
    }
    compare(&BTreeMap::from([("refused".to_string(), text)]));
}

#[test]
fn help_heading_of_the_disk_has_only_its_options() {
    let cli = Cli::command();
    for name in ["run", "linux", "image", "cluster new"] {
        let words = name.split(' ');
        let find = |above: &clap::Command, word| above.find_subcommand(word).cloned().expect("it is a command");
        let command = words.fold(cli.clone(), |above, word| find(&above, word));
        let below = command.get_arguments().filter(|a| a.get_help_heading() == Some("What is on the disk"));
        let options: Vec<&str> = below.filter_map(|option| option.get_long()).collect();
        assert_eq!(options, ["image", "packages", "packages-file", "disk-size-mib"], "{name}");
    }
}

#[test]
fn help_of_linux_mentions_no_interactive_shell() {
    let mut cli = Cli::command();
    let linux = cli.find_subcommand_mut("linux").expect("it is a command");
    assert!(!linux.render_long_help().to_string().contains("interactive"));
}

#[test]
fn version_of_every_command_is_that_of_renga() {
    for command in Cli::command().get_subcommands() {
        let line = ["renga", command.get_name(), "--version"];
        let error = Cli::command().try_get_matches_from(line).expect_err("a version ends the parser");
        assert_eq!(error.kind(), ErrorKind::DisplayVersion, "{line:?}: {error}");
    }
}
