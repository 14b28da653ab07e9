//! A copy of the tree that holds the mutants of an area, and its test programs.
//!
//! Sites that do not compile are dropped, one build after the other, until the rest does: a mutant that no compiler
//! accepts is no mutation that anybody could make. Not here: which sites there are (`find.rs`).

use crate::area::MutantArea;
use crate::change::Change;
use crate::find::{self, Site};
use crate::instrument::{MODULE, instrument};
use anyhow::{Context, Result, bail, ensure};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Builds until all that does not compile is dropped.
const ROUNDS_MAX: usize = 40;
/// The module that chooses notes which of so many were reached.
const NUMBERS_MAX: usize = 1 << 16;

/// A mutant that can be chosen.
#[derive(Clone, Debug)]
pub struct NumberedChange {
    /// The number that chooses it.
    pub number: u32,
    /// What it is.
    pub change: Change,
}

/// A test program.
#[derive(Clone, Debug)]
pub struct TestProgram {
    /// Where it is.
    pub path: PathBuf,
    /// The folder in which it runs.
    pub folder: PathBuf,
    /// What it is called.
    pub name: String,
}

/// What was built.
#[derive(Debug)]
pub struct Built {
    /// The mutants that compile.
    pub mutants: Vec<NumberedChange>,
    /// How many do not.
    pub refused: usize,
    /// The test programs that run against them.
    pub programs: Vec<TestProgram>,
}

/// A source file of the area.
struct Source {
    name: String,
    text: String,
    sites: Vec<Site>,
    /// The first number of each site.
    first: Vec<u32>,
    /// The text that was written.
    written: String,
    /// Where each site lies in it.
    places: Vec<Range<usize>>,
    /// Whether it gets the module that chooses.
    is_root: bool,
}

/// Copies the tree, puts the mutants of `area` into it and builds the test programs.
///
/// # Errors
/// If the tree cannot be copied or does not compile without mutants either.
pub fn build(environment: &Environment, area: &MutantArea, progress: &ProgressLine) -> Result<Built> {
    let work = environment.work().join("mutants");
    let tree = work.join("tree");
    progress.step("copying the tree");
    copy_tree(&environment.root, &tree)?;
    let mut sources = read_sources(&environment.root, area)?;
    let all: usize = sources.iter().flat_map(|source| &source.sites).map(|site| site.changes.len()).sum();
    let packages: Vec<String> = area.folders.iter().map(|folder| package(&tree, folder)).collect::<Result<_>>()?;
    for round in 1.. {
        ensure!(round <= ROUNDS_MAX, "after {ROUNDS_MAX} builds some mutants of {} still do not compile", area.name);
        number(&mut sources);
        write(&tree, &mut sources)?;
        progress.step(&format!("{}: building {all} mutants, round {round}", area.name));
        let arguments: Vec<&str> = packages.iter().flat_map(|package| ["-p", package]).collect();
        let messages = cargo(&work, &tree, "check", &[&arguments[..], &["--keep-going"]].concat())?;
        let errors = errors(&messages);
        if errors.is_empty() {
            break;
        }
        drop_refused(&mut sources, &errors)?;
    }
    progress.step(&format!("{}: building the tests", area.name));
    let arguments: Vec<&str> = area.suites.iter().flat_map(|package| ["-p", package]).chain(["--no-run"]).collect();
    let messages = cargo(&work, &tree, "test", &arguments)?;
    if let Some(first) = errors(&messages).first() {
        bail!("the tests of {} do not compile with mutants: {}", area.name, first.text);
    }
    let programs = messages.iter().filter_map(test_program).collect();
    ensure!(all < NUMBERS_MAX, "{} has {all} mutants, more than {NUMBERS_MAX}", area.name);
    let mutants: Vec<NumberedChange> = sources.iter().flat_map(mutants_of).collect();
    Ok(Built { refused: all - mutants.len(), mutants, programs })
}

/// Copies what git knows and what is not ignored; files that are as they were stay untouched, so that cargo builds only
/// what has changed.
fn copy_tree(root: &Path, tree: &Path) -> Result<()> {
    let listed = Command::new("git")
        .current_dir(root)
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .output()
        .context("cannot start git")?;
    ensure!(listed.status.success(), "git does not list the files of {}", root.display());
    let names = String::from_utf8(listed.stdout)?;
    let names: BTreeSet<&str> = names.split('\0').filter(|name| !name.is_empty()).collect();
    let before = fs::read_to_string(tree.join(".files")).unwrap_or_default();
    for name in before.lines().filter(|name| !names.contains(name)) {
        let _ = fs::remove_file(tree.join(name)); // it may be gone already
    }
    for name in &names {
        let Ok(content) = fs::read(root.join(name)) else { continue }; // deleted, but known to git
        write_if_other(&tree.join(name), &content)?;
    }
    let list: Vec<&str> = names.into_iter().collect();
    fs::write(tree.join(".files"), list.join("\n")).context("cannot write the list of files")
}

fn write_if_other(path: &Path, content: &[u8]) -> Result<()> {
    if fs::read(path).is_ok_and(|there| there == content) {
        return Ok(());
    }
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
    }
    fs::write(path, content).with_context(|| format!("cannot write {}", path.display()))
}

fn read_sources(root: &Path, area: &MutantArea) -> Result<Vec<Source>> {
    let mut sources = Vec::new();
    for folder in area.folders {
        let mut paths = vec![root.join(folder).join("src")];
        while let Some(path) = paths.pop() {
            if path.is_dir() {
                let entries = fs::read_dir(&path).with_context(|| format!("cannot read {}", path.display()))?;
                paths.extend(entries.filter_map(|entry| Some(entry.ok()?.path())));
                continue;
            }
            let name = path.strip_prefix(root).unwrap_or(&path).to_string_lossy().into_owned();
            let is_rust = path.extension().is_some_and(|extension| extension == "rs");
            let for_tests = name.ends_with("/tests.rs") || name.contains("/tests/") || name.contains("/src/host/");
            if !is_rust || for_tests {
                continue;
            }
            let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
            let sites = find::sites(&name, &text).with_context(|| format!("{name} cannot be read as Rust"))?;
            let is_root = name == format!("{folder}/src/lib.rs");
            sources.push(Source {
                name,
                text,
                sites,
                first: Vec::new(),
                written: String::new(),
                places: Vec::new(),
                is_root,
            });
        }
    }
    sources.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(sources)
}

/// Numbers all mutants from 1.
fn number(sources: &mut [Source]) {
    let mut next = 1;
    for source in sources {
        source.first.clear();
        for site in &source.sites {
            source.first.push(next);
            next += site.changes.len() as u32;
        }
    }
}

fn write(tree: &Path, sources: &mut [Source]) -> Result<()> {
    for source in sources {
        let (mut text, places) = instrument(&source.text, &source.sites, &source.first);
        source.places = places;
        if source.is_root {
            text.push_str(MODULE);
        }
        write_if_other(&tree.join(&source.name), text.as_bytes())?;
        source.written = text;
    }
    Ok(())
}

fn mutants_of(source: &Source) -> Vec<NumberedChange> {
    let numbered = source.sites.iter().zip(&source.first);
    numbered
        .flat_map(|(site, first)| (*first..).zip(&site.changes))
        .map(|(number, change)| NumberedChange { number, change: change.clone() })
        .collect()
}

/// The name of the package in `folder`.
fn package(tree: &Path, folder: &str) -> Result<String> {
    let text = fs::read_to_string(tree.join(folder).join("Cargo.toml"))?;
    let table: toml::Table = text.parse()?;
    let name = table.get("package").and_then(|package| package.get("name")).and_then(|name| name.as_str());
    name.map(str::to_string).with_context(|| format!("{folder}/Cargo.toml has no package"))
}

/// The messages of cargo, which may have failed.
fn cargo(work: &Path, tree: &Path, command: &str, arguments: &[&str]) -> Result<Vec<Value>> {
    let output = Command::new("cargo")
        .current_dir(tree)
        .args([command, "--quiet", "--message-format=json"])
        .args(arguments)
        .env("CARGO_TARGET_DIR", work.join("target"))
        .env("CARGO_INCREMENTAL", "0")
        .env("RUSTFLAGS", "--cap-lints=allow")
        .output()
        .context("cannot start cargo")?;
    let text = String::from_utf8_lossy(&output.stdout);
    let messages: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    if !output.status.success() && errors(&messages).is_empty() {
        bail!("cargo {command} failed: {}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(messages)
}

/// An error of the compiler.
struct BuildError {
    text: String,
    /// The files and bytes that it names, the main ones first.
    spans: Vec<(String, usize, usize)>,
}

fn errors(messages: &[Value]) -> Vec<BuildError> {
    let compiler = messages.iter().filter(|message| message["reason"] == "compiler-message");
    compiler
        .map(|message| &message["message"])
        .filter(|message| message["level"] == "error" && message["spans"].as_array().is_some_and(|all| !all.is_empty()))
        .map(|message| {
            let mut spans: Vec<&Value> = message["spans"].as_array().into_iter().flatten().collect();
            spans.sort_by_key(|span| span["is_primary"] != true);
            let place = |span: &&Value| {
                let byte = |name: &str| span[name].as_u64().unwrap_or(0) as usize;
                (span["file_name"].as_str().unwrap_or("").to_string(), byte("byte_start"), byte("byte_end"))
            };
            let text = message["rendered"].as_str().unwrap_or("").to_string();
            BuildError { text, spans: spans.iter().map(place).collect() }
        })
        .collect()
}

/// Drops the innermost site around each error; or, as an error may be about the type of a part, all on its line.
fn drop_refused(sources: &mut [Source], errors: &[BuildError]) -> Result<()> {
    let mut dropped: BTreeMap<usize, BTreeSet<usize>> = BTreeMap::new();
    for error in errors {
        let find = |(file, begin, end): &(String, usize, usize)| {
            let which = sources.iter().position(|source| &source.name == file)?;
            let sites = sites_to_drop(&sources[which], *begin, *end);
            (!sites.is_empty()).then_some((which, sites))
        };
        if let Some((which, sites)) = error.spans.iter().find_map(find) {
            dropped.entry(which).or_default().extend(sites);
        }
    }
    if dropped.is_empty() {
        bail!("the tree does not compile, and not for a mutant: {}", errors.first().map_or("", |error| &error.text));
    }
    for (which, sites) in dropped {
        let mut number = 0..;
        sources[which].sites.retain(|_| number.next().is_some_and(|number| !sites.contains(&number)));
    }
    Ok(())
}

fn sites_to_drop(source: &Source, begin: usize, end: usize) -> Vec<usize> {
    let places = || source.places.iter().enumerate();
    let around = places().filter(|(_, place)| place.start <= begin && end <= place.end);
    if let Some((site, _)) = around.min_by_key(|(_, place)| place.end - place.start) {
        return vec![site];
    }
    let line_begin = source.written[..begin].rfind('\n').map_or(0, |at| at + 1);
    let line_end = source.written[begin..].find('\n').map_or(source.written.len(), |at| begin + at);
    places().filter(|(_, place)| place.start < line_end && place.end > line_begin).map(|(site, _)| site).collect()
}

fn test_program(message: &Value) -> Option<TestProgram> {
    let is_test = message["reason"] == "compiler-artifact" && message["profile"]["test"] == true;
    let path = message["executable"].as_str().filter(|_| is_test)?;
    let folder = Path::new(message["manifest_path"].as_str()?).parent()?;
    let kind = message["target"]["kind"][0].as_str().unwrap_or("");
    let package = folder.file_name()?.to_string_lossy();
    let name = format!("{package}/{kind}/{}", message["target"]["name"].as_str()?);
    Some(TestProgram { path: path.into(), folder: folder.into(), name })
}
