//! Areas: crates whose mutants are counted together, and the crates whose tests judge them.

use anyhow::{Result, bail};

/// An area.
#[derive(Clone, Copy, Debug)]
pub struct MutantArea {
    /// What it is called.
    pub name: &'static str,
    /// The folders of its crates, from the repository's root.
    pub folders: &'static [&'static str],
    /// The packages whose tests judge it; those that end soonest are asked first.
    pub judges: &'static [&'static str],
}

/// All areas.
pub const AREAS: [MutantArea; 10] = [
    MutantArea { name: "scheduler", folders: &["kernel/sched"], judges: &["renga-core", "renga-sched"] },
    MutantArea { name: "rendezvous", folders: &["kernel/core", "sysprocs/rt"], judges: &["renga-core", "renga-rt"] },
    MutantArea { name: "link", folders: &["netlink-hw/mac", "netlink-hw/wire"], judges: &["renga-mac", "renga-wire"] },
    MutantArea { name: "router", folders: &["sysprocs/router"], judges: &["renga-router"] },
    MutantArea { name: "files", folders: &["sysprocs/fs"], judges: &["renga-fs"] },
    MutantArea {
        name: "memory",
        folders: &["sysprocs/memory", "sysprocs/pages"],
        judges: &["renga-memory", "renga-pages"],
    },
    MutantArea { name: "calls", folders: &["sysprocs/process"], judges: &["renga-process"] },
    MutantArea {
        name: "objects",
        folders: &["sysprocs/pipe", "sysprocs/socket", "sysprocs/futex", "sysprocs/clock", "sysprocs/console"],
        judges: &["renga-pipe", "renga-socket", "renga-futex", "renga-clock", "renga-console"],
    },
    MutantArea {
        name: "services",
        folders: &["sysprocs/governor", "sysprocs/reclaimer", "sysprocs/regulator"],
        judges: &["renga-governor", "renga-reclaimer", "renga-regulator"],
    },
    MutantArea { name: "cards", folders: &["sysprocs/boot_card"], judges: &["renga-boot-card"] },
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
