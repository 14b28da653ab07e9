//! What documents name must exist: commands, options, files, links.

use crate::expect_none;
use crate::source::{Source, place, root, texts};
use std::collections::{BTreeSet, HashMap};
use std::path::PathBuf;
use std::process::Command;

/// Code spans that begin so are paths of this repository.
const TOP_FOLDERS: [&str; 7] = ["kernel/", "netlink-hw/", "sysprocs/", "userland/", "tools/", "docs/", "bench/"];

fn documents() -> Vec<Source> {
    texts().into_iter().filter(|source| source.path.ends_with(".md")).collect()
}

#[test]
fn documents_commands_exist() {
    if renga().is_none() {
        return renga_skip::skipped("the renga command is not built: `cargo build -p renga`");
    }
    let (mut violations, mut known) = (Vec::new(), HashMap::new());
    for source in documents() {
        for (at, start) in source.text.match_indices("./renga ") {
            let rest = &source.text[at + start.len()..];
            let line = &rest[..rest.find(['\n', '`', '#']).unwrap_or(rest.len())];
            if let Some(fault) = fault(line, &mut known) {
                violations.push(format!("{}: {fault}", place(&source.path, &source.text, at)));
            }
        }
    }
    expect_none("commands and options in documents exist", violations);
}

/// What is wrong with the arguments `line` of the command.
fn fault(line: &str, known: &mut HashMap<String, Option<String>>) -> Option<String> {
    let words = unquoted(line);
    let plain: Vec<&str> = words.iter().take_while(|word| !word.starts_with('-')).map(String::as_str).collect();
    if words.iter().any(|word| word.chars().all(|c| c.is_ascii_uppercase()) && !word.is_empty()) && plain.is_empty() {
        return None;
    }
    // `bench link` is a command of its own, `check pair` is not.
    let depth = if matches!(plain.first(), Some(&"bench" | &"cluster" | &"sweep" | &"system")) { 2 } else { 1 };
    let command = plain[..depth.min(plain.len())].join(" ");
    let help = known.entry(command.clone()).or_insert_with(|| help(&command)).as_ref();
    let Some(help) = help else { return Some(format!("no command `{command}`")) };
    let missing =
        words.iter().filter(|word| word.starts_with('-') && **word != "-" && **word != "--help" && **word != "--");
    let missing = missing.map(|word| word.split('=').next().unwrap_or(word)).find(|word| !help.contains(word));
    missing.map(|option| format!("`{command}` has no option {option}"))
}

/// The words before anything that the shell would take apart; what is quoted is one word.
fn unquoted(line: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut quote = None;
    for c in line.chars() {
        match (quote, c) {
            (None, '\'' | '"') => quote = Some(c),
            (Some(open), _) if c == open => quote = None,
            (Some(_), _) => words.last_mut().expect("one at least").push('.'),
            (None, '|' | ';' | '&' | '>' | ')') => break,
            (None, ' ') => words.push(String::new()),
            (None, _) => words.last_mut().expect("one at least").push(c),
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The command, which `./renga test` has built; beside the folder of this program.
fn renga() -> Option<PathBuf> {
    let this = std::env::current_exe().expect("this program has a path");
    let renga = this.parent()?.parent()?.join("renga");
    renga.exists().then_some(renga)
}

fn help(command: &str) -> Option<String> {
    let renga = renga()?;
    // What `renga sim` hands over to. The one that host tests have built stands beside; to build the fast one takes
    // minutes.
    let simulator = renga.with_file_name("renga-sim");
    let (program, words) = if command == "sim" && simulator.exists() { (simulator, "") } else { (renga, command) };
    let words = words.split(' ').filter(|word| !word.is_empty());
    let output = Command::new(program).args(words).arg("--help").output().expect("the program starts");
    output.status.success().then(|| String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn links_lead_somewhere() {
    let (root, mut violations) = (root(), Vec::new());
    for source in documents() {
        for (at, start) in source.text.match_indices("](") {
            let rest = &source.text[at + start.len()..];
            let target = &rest[..rest.find([')', '#']).unwrap_or(rest.len())];
            if target.is_empty() || target.contains("://") {
                continue;
            }
            let folder = source.path.rsplit_once('/').map_or("", |(folder, _)| folder);
            if !root.join(folder).join(target).exists() {
                violations.push(format!("{}: {target}", place(&source.path, &source.text, at)));
            }
        }
    }
    expect_none("links in documents lead to files that exist", violations);
}

#[test]
fn named_files_exist() {
    let (root, mut violations) = (root(), Vec::new());
    for source in documents() {
        for (at, span) in spans(&source.text) {
            let path = span.split(':').next().unwrap_or(span);
            let is_path = TOP_FOLDERS.iter().any(|folder| path.starts_with(folder));
            if is_path && !path.contains(['*', '{', '<', ' ', 'N']) && !root.join(path).exists() {
                violations.push(format!("{}: {path}", place(&source.path, &source.text, at)));
            }
        }
    }
    expect_none("files named in documents exist", violations);
}

#[test]
fn tools_page_each_folder_has_one_line() {
    let sources = texts();
    let page = sources.iter().find(|source| source.path == "tools/README.md").expect("the page is there");
    let folder = |source: &Source| Some(source.path.strip_prefix("tools/")?.split_once('/')?.0.to_string());
    let folders: BTreeSet<String> = sources.iter().filter_map(folder).collect();
    let lines = |folder: &String| page.text.lines().filter(|line| line.starts_with(&format!("| `{folder}` |"))).count();
    expect_none("tools/README.md has one line for a folder", folders.into_iter().filter(|f| lines(f) != 1).collect());
}

/// What stands in single backticks, and where.
fn spans(text: &str) -> Vec<(usize, &str)> {
    let (mut spans, mut at) = (Vec::new(), 0);
    for line in text.split_inclusive('\n') {
        let mut start = at;
        for (number, part) in line.split('`').enumerate() {
            if number % 2 == 1 {
                spans.push((start, part));
            }
            start += part.len() + 1;
        }
        at += line.len();
    }
    spans
}
