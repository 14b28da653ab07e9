//! Debian's packages in use: each script of `userland/packages` runs on Linux on the same emulated board, on board a
//! and on board b, with the same programs from the same image, and often with the other board's help.
//!
//! Invariant: `docs/results/packages/report.md` has how each ends in each place, and why one that ends otherwise than
//! on Linux does; what it has and is not so is a failure, too. `RENGA_BLESS=1` writes it from the runs, and
//! `RENGA_PACKAGES=tmux,sshd` runs some. Each takes minutes, so `renga test --long=packages` runs them. Not here: what
//! the scripts do.

mod go;
mod run;
mod script;
mod table;

use crate::support::{clusters_can_run, root};
use renga_images::disk_image::{self, DiskChoice, ImageError, ImageSpec};
use run::{PLACES, PackageRow};
use script::PackageScript;
use std::collections::BTreeSet;

/// Names of the scripts to run, between commas; without it all.
const CHOSEN: &str = "RENGA_PACKAGES";
const IMAGE: &str = "userland/packages/image.toml";

/// Holds: packages.
#[test]
#[ignore = "minutes: renga test --long=packages"]
fn packages_terminals_end_as_reported() {
    group("terminals");
}

/// Holds: packages.
#[test]
#[ignore = "minutes: renga test --long=packages"]
fn packages_users_end_as_reported() {
    group("users");
}

/// Holds: packages.
#[test]
#[ignore = "minutes: renga test --long=packages"]
fn packages_languages_end_as_reported() {
    group("languages");
}

/// Holds: packages.
#[test]
#[ignore = "minutes: renga test --long=packages"]
fn packages_tools_end_as_reported() {
    group("tools");
}

/// Holds: packages.
#[test]
#[ignore = "minutes: renga test --long=packages"]
fn packages_servers_end_as_reported() {
    group("servers");
}

/// Holds: packages.
#[test]
#[ignore = "minutes: renga test --long=packages"]
fn packages_parallel_end_as_reported() {
    group("parallel");
}

/// Holds: packages.
#[test]
#[ignore = "minutes: renga test --long=packages"]
fn packages_load_end_as_reported() {
    group("load");
}

/// Runs the chosen scripts of a group in all places, and compares how they end with the report.
fn group(name: &str) {
    if !clusters_can_run() || !image_can_be_had() {
        return;
    }
    let chosen = std::env::var(CHOSEN).ok().map(|names| names.split(',').map(String::from).collect::<BTreeSet<_>>());
    let is_chosen = |script: &PackageScript| chosen.as_ref().is_none_or(|chosen| chosen.contains(&script.name));
    let mut scripts: Vec<PackageScript> = PackageScript::of(name).into_iter().filter(is_chosen).collect();
    if scripts.iter().any(|script| script.go.is_some()) && go::version().is_none() {
        renga_skip::skipped("there is no toolchain of Go");
        scripts.retain(|script| script.go.is_none());
    }
    let runs = PLACES.map(|place| run::run(&scripts, place, &image()));
    let row = |(number, script)| PackageRow::of(script, runs.each_ref().map(|runs| &runs[number]));
    let rows: Vec<PackageRow> = scripts.iter().enumerate().map(row).collect();
    table::bless(name, &rows);
    table::expect(name, &rows);
}

/// The image with all packages.
fn image() -> DiskChoice {
    DiskChoice { flavour: root().join(IMAGE).to_string_lossy().into_owned(), ..DiskChoice::default() }
}

/// Whether the packages are here or can be fetched; if not, the test that asks is skipped.
fn image_can_be_had() -> bool {
    match disk_image::prepare(&ImageSpec { choice: image(), ..ImageSpec::new(&root()) }, &mut |_| {}) {
        Ok(()) => true,
        Err(ImageError::Unreachable { .. }) => {
            renga_skip::skipped("the Debian mirror cannot be reached for the packages of the campaign");
            false
        }
        Err(error) => panic!("{error}"),
    }
}
