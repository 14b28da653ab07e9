//! A script of `userland/packages`, and what its first lines say of it.

use crate::support::root;
use std::fs;
use std::path::{Path, PathBuf};

const FOLDER: &str = "userland/packages";
const EXTENSION: &str = "sh";

/// A script that uses a package.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct PackageScript {
    pub(super) name: String,
    /// The binary package that it is about.
    pub(super) package: String,
    pub(super) what: String,
    /// What it prints where it did its work: two places that fail alike are no success.
    pub(super) expected: String,
    /// Why it ends otherwise on a board than on Linux.
    pub(super) reason: Option<String>,
    pub(super) text: String,
    /// The source of the program of Go that it runs.
    pub(super) go: Option<PathBuf>,
}

impl PackageScript {
    /// Those of a group, by name.
    pub(super) fn of(group: &str) -> Vec<PackageScript> {
        let entries = fs::read_dir(root().join(FOLDER).join(group)).expect("the scripts are there").flatten();
        let mut paths: Vec<_> = entries.map(|entry| entry.path()).collect();
        paths.retain(|path| path.extension().is_some_and(|extension| extension == EXTENSION));
        paths.sort();
        paths.iter().map(|path| PackageScript::read(path)).collect()
    }

    fn read(path: &Path) -> PackageScript {
        let name = path.file_stem().expect("it was listed").to_string_lossy().into_owned();
        let script = PackageScript::parse(name, fs::read_to_string(path).expect("it was listed"));
        PackageScript { go: Some(path.with_extension("go")).filter(|source| source.exists()), ..script }
    }

    fn parse(name: String, text: String) -> PackageScript {
        let field = |field: &str| {
            let prefix = format!("# {field}: ");
            let head = text.lines().take_while(|line| line.starts_with('#'));
            head.filter_map(|line| line.strip_prefix(&prefix)).map(String::from).next()
        };
        let needed = |name_of_field: &str| field(name_of_field).unwrap_or_else(|| panic!("{name}: no {name_of_field}"));
        let (package, what, expected) = (needed("Package"), needed("What"), needed("Expect"));
        let reason = field("Differs");
        PackageScript { name, package, what, expected, reason, text, go: None }
    }
}

/// What runs a script.
pub(super) fn driver() -> Vec<u8> {
    fs::read(root().join(FOLDER).join("driver.sh")).expect("the driver is there")
}

#[test]
fn package_script_first_lines_describe_it() {
    let text = "# What: a thing\n# Package: p\n# Expect: x: y\n# Differs: no z\necho\n# Package: other\n";
    let script = PackageScript::parse("n".into(), text.into());
    let fields = (script.package.as_str(), script.what.as_str(), script.expected.as_str(), script.reason.as_deref());
    assert_eq!(fields, ("p", "a thing", "x: y", Some("no z")));
}
