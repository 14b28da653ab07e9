//! The files of a crate import each other along arrows that form no circle.
//!
//! An arrow leads from a file to the file that defines what a path of it names: `crate::`, `self::` and `super::` paths
//! are followed through modules and `pub use`; a `pub use` itself is no arrow, since it only hands a name on. Not here:
//! circles of crates, which cargo refuses, and what only tests import.

use crate::expect_none;
use crate::source::{RustSource, rust};
use petgraph::algo::tarjan_scc;
use petgraph::graphmap::DiGraphMap;
use std::collections::{BTreeMap, BTreeSet};

/// Crates with circles that are known, and how many files these have. The list only shrinks.
const KNOWN: &[(&str, usize)] = &[
    ("bench", 19),
    ("kernel/board-rpi", 7),
    ("kernel/image", 10),
    ("netlink-hw/mac", 2),
    ("netlink-hw/phy", 6),
    ("netlink-hw/wire", 2),
    ("tools/emu/coordinator", 8),
    ("tools/emu/plugin", 10),
    ("tools/fuzz", 2),
    ("tools/model", 7),
    ("tools/placement", 11),
    ("tools/sim", 8),
];

/// How deep a name may be handed on.
const HAND_ONS_MAX: usize = 8;

/// The modules of one crate, by path (`inode::server`); the root is the empty path.
struct Modules<'a>(BTreeMap<String, &'a RustSource>);

impl<'a> Modules<'a> {
    fn new(folder: &str, sources: &'a [RustSource]) -> Self {
        let own = sources.iter().filter(|source| source.path.starts_with(folder));
        Modules(own.filter_map(|source| Some((module_path(&source.path[folder.len()..])?, source))).collect())
    }

    /// The file that defines what `path` names, seen from the module `from`.
    fn definition(&self, from: &str, path: &[String], hand_ons: usize) -> Option<String> {
        let (mut module, mut rest) = match path.split_first()? {
            (first, rest) if first == "crate" => (String::new(), rest),
            (first, rest) if first == "self" => (from.to_string(), rest),
            (first, _) if first == "super" => (from.to_string(), path),
            (first, _) if self.0.contains_key(&joined(from, first)) => (from.to_string(), path),
            _ => return None,
        };
        while let Some((first, more)) = rest.split_first() {
            let next = if first == "super" { parent(&module) } else { joined(&module, first) };
            if !self.0.contains_key(&next) {
                break;
            }
            (module, rest) = (next, more);
        }
        let handed_on = rest.first().filter(|_| hand_ons < HAND_ONS_MAX).and_then(|name| {
            let uses = imports(&self.0.get(&module)?.board_code);
            let source = uses.into_iter().find(|import| import.public && import.path.last() == Some(name))?;
            self.definition(&module, &source.path, hand_ons + 1)
        });
        Some(handed_on.unwrap_or(module)).filter(|module| self.0.contains_key(module))
    }

    /// From which module to which one an arrow leads.
    fn arrows(&self) -> BTreeSet<(String, String)> {
        let mut arrows = BTreeSet::new();
        for (module, source) in &self.0 {
            let imports = imports(&source.board_code).into_iter().filter(|import| !import.public);
            for path in imports.map(|import| import.path) {
                let to = self.definition(module, &path, 0).filter(|to| to != module);
                arrows.extend(to.map(|to| (module.clone(), to)));
            }
        }
        arrows
    }
}

/// A path that a file names.
struct Import {
    path: Vec<String>,
    /// Handed on by `pub use`.
    public: bool,
}

fn joined(module: &str, name: &str) -> String {
    if module.is_empty() { name.to_string() } else { format!("{module}::{name}") }
}

fn parent(module: &str) -> String {
    module.rsplit_once("::").map_or_else(String::new, |(parent, _)| parent.to_string())
}

/// The module of a file below `src/`; none for a file of tests.
fn module_path(file: &str) -> Option<String> {
    let path = file.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    let is_root = matches!(path, "lib" | "main" | "mod");
    Some(if is_root { String::new() } else { path.replace('/', "::") })
}

/// All paths that begin with `crate`, `self`, `super`, or are imported by `use`.
fn imports(code: &str) -> Vec<Import> {
    let mut found = Vec::new();
    for (at, _) in code.match_indices("use ").filter(|(at, _)| starts_word(code, *at)) {
        let end = code[at..].find(';').map_or(code.len(), |length| at + length);
        let before = code[..at].trim_end();
        let public = before.ends_with("pub")
            || before.ends_with(')') && before.rsplit('(').nth(1).is_some_and(|b| b.ends_with("pub"));
        expand(&code[at + "use ".len()..end], &[], &mut |path| found.push(Import { path, public }));
    }
    for start in ["crate::", "super::"] {
        let places = code.match_indices(start).map(|(at, _)| at).filter(|at| starts_word(code, *at));
        let outside = places.filter(|at| !in_use(code, *at));
        found.extend(outside.map(|at| Import { path: segments(&code[at..]), public: false }));
    }
    found
}

fn starts_word(code: &str, at: usize) -> bool {
    !code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_' || c == ':' || c == '$')
}

/// Whether a `use` declaration contains the place, which `expand` has read then.
fn in_use(code: &str, at: usize) -> bool {
    let line = code[..at].rfind(';').map_or(0, |end| end + 1);
    code[line..at]
        .rfind("use ")
        .is_some_and(|start| starts_word(code, line + start) && !code[line + start..at].contains(['(', '=']))
}

/// The names of a path at the start of `code`.
fn segments(code: &str) -> Vec<String> {
    let end = code.find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':').unwrap_or(code.len());
    code[..end].split("::").filter(|name| !name.is_empty()).map(String::from).collect()
}

/// Calls `each` with every path of a tree as `a::{b, c::{self, d}}`.
fn expand(tree: &str, prefix: &[String], each: &mut impl FnMut(Vec<String>)) {
    let tree = tree.trim();
    if let Some((head, inner)) = tree.split_once('{') {
        let inner = inner.trim_end().strip_suffix('}').unwrap_or(inner);
        let prefix: Vec<String> = prefix.iter().cloned().chain(segments(head.trim())).collect();
        branches(inner).into_iter().for_each(|branch| expand(branch, &prefix, each));
        return;
    }
    let name = tree.split(" as ").next().unwrap_or(tree).trim();
    let own = segments(name).into_iter().filter(|segment| prefix.is_empty() || segment != "self");
    let path: Vec<String> = prefix.iter().cloned().chain(own).collect();
    if !path.is_empty() {
        each(path);
    }
}

/// What stands between the commas of the outermost level.
fn branches(list: &str) -> Vec<&str> {
    let (mut depth, mut start, mut found) = (0usize, 0, Vec::new());
    for (at, c) in list.char_indices() {
        match c {
            '{' => depth += 1,
            '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                found.push(&list[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    found.push(&list[start..]);
    found.into_iter().filter(|branch| !branch.trim().is_empty()).collect()
}

/// The circles of a graph: the names in each, and the arrows between them.
fn circles(arrows: &BTreeSet<(String, String)>) -> Vec<Vec<String>> {
    let graph: DiGraphMap<&str, ()> = arrows.iter().map(|(from, to)| (from.as_str(), to.as_str(), ())).collect();
    let parts = tarjan_scc(&graph).into_iter().filter(|part| part.len() > 1);
    parts.map(|part| part.into_iter().map(String::from).collect()).collect()
}

/// The folders `src/` of all crates.
fn crates(sources: &[RustSource]) -> BTreeSet<String> {
    let source_folder = |path: &str| path.find("/src/").map(|at| path[..at + "/src/".len()].to_string());
    sources
        .iter()
        .filter(|source| !source.path.contains("/tests/"))
        .filter_map(|source| source_folder(&source.path))
        .collect()
}

/// Holds: import-rules.
#[test]
fn files_of_a_crate_form_no_circle() {
    let (sources, mut violations) = (rust(), Vec::new());
    for folder in crates(&sources) {
        let modules = Modules::new(&folder, &sources);
        let arrows = modules.arrows();
        let circles = circles(&arrows);
        let files: usize = circles.iter().map(Vec::len).sum();
        let known =
            KNOWN.iter().find(|(crate_folder, _)| format!("{crate_folder}/src/") == folder).map_or(0, |(_, n)| *n);
        if files <= known {
            continue;
        }
        violations.push(format!("{folder}: {files} files in circles, {known} are known"));
        for circle in circles {
            let within = arrows.iter().filter(|(from, to)| circle.contains(from) && circle.contains(to));
            violations.extend(within.map(|(from, to)| format!("  {from} -> {to}")));
        }
    }
    expect_none("the files of a crate form no circle", violations);
}

#[test]
fn circle_of_two_files_is_found_through_a_handed_on_name() {
    let source = |path: &str, code: &str| RustSource {
        path: path.into(),
        text: code.into(),
        code: code.into(),
        board_code: code.into(),
    };
    let lib = source("x/src/lib.rs", "pub use a::First; mod a; mod b;");
    let a = source("x/src/a.rs", "use crate::b::{self, Second as S}; pub struct First;");
    let b = |code: &str| source("x/src/b.rs", code);
    let found = |b| circles(&Modules::new("x/src/", &[lib_of(&lib), lib_of(&a), b]).arrows());
    assert_eq!(found(b("pub struct Second;")).len(), 0);
    assert_eq!(found(b("pub struct Second(crate::First);")).len(), 1);
    assert_eq!(found(b("use super::a; pub struct Second;")).len(), 1);
}

/// A copy.
fn lib_of(source: &RustSource) -> RustSource {
    let RustSource { path, text, code, board_code } = source;
    RustSource { path: path.clone(), text: text.clone(), code: code.clone(), board_code: board_code.clone() }
}
