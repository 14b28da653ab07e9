//! Areas: crates whose mutants are counted together, and the crates whose tests run against them.

use anyhow::{Result, bail};

/// An area.
#[derive(Clone, Copy, Debug)]
pub struct MutantArea {
    /// What it is called.
    pub name: &'static str,
    /// The folders of its crates, from the repository's root.
    pub folders: &'static [&'static str],
    /// The packages whose tests run against it, the quickest first.
    pub suites: &'static [&'static str],
}

/// All areas.
pub const AREAS: [MutantArea; 10] = [
    MutantArea { name: "scheduler", folders: &["kernel/sched"], suites: &["renga-core", "renga-sched"] },
    MutantArea { name: "rendezvous", folders: &["kernel/core", "sysprocs/rt"], suites: &["renga-core", "renga-rt"] },
    MutantArea { name: "link", folders: &["netlink-hw/mac", "netlink-hw/wire"], suites: &["renga-mac", "renga-wire"] },
    MutantArea { name: "router", folders: &["sysprocs/router"], suites: &["renga-router"] },
    MutantArea { name: "files", folders: &["sysprocs/fs"], suites: &["renga-fs"] },
    MutantArea {
        name: "memory",
        folders: &["sysprocs/memory", "sysprocs/pages"],
        suites: &["renga-memory", "renga-pages"],
    },
    MutantArea { name: "calls", folders: &["sysprocs/process"], suites: &["renga-process"] },
    MutantArea {
        name: "objects",
        folders: &["sysprocs/pipe", "sysprocs/socket", "sysprocs/futex", "sysprocs/clock", "sysprocs/console"],
        suites: &["renga-pipe", "renga-socket", "renga-futex", "renga-clock", "renga-console"],
    },
    MutantArea {
        name: "services",
        folders: &["sysprocs/governor", "sysprocs/reclaimer", "sysprocs/regulator"],
        suites: &["renga-governor", "renga-reclaimer", "renga-regulator"],
    },
    MutantArea { name: "cards", folders: &["sysprocs/boot_card"], suites: &["renga-boot-card"] },
];

/// Those that are named, or all.
///
/// # Errors
/// If there is none of that name.
pub fn chosen(names: &[String]) -> Result<Vec<MutantArea>> {
    if names.is_empty() {
        return Ok(AREAS.to_vec());
    }
    let find = |name: &String| match AREAS.iter().find(|area| area.name == name) {
        Some(area) => Ok(*area),
        None => bail!("there is no area {name:?}: there are {}", AREAS.map(|area| area.name).join(", ")),
    };
    names.iter().map(find).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn area_of_unknown_name_is_refused_with_the_known_ones() {
        let refused = chosen(&["fs".into()]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refused.contains("\"fs\"") && refused.contains("files"), "{refused}");
        assert_eq!(chosen(&[]).map(|areas| areas.len()).ok(), Some(AREAS.len()));
    }
}
