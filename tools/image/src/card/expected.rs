//! What a card should be like by the sources and files of this machine.
//!
//! Called by: `renga image --inspect`, and `renga flash` before it writes. Not here: the comparison (`inspect`).

use super::cluster::CardCluster;
use super::{Checksum, kernel_files, sha256};
use crate::artifacts::{self, KernelFlavour};
use crate::system::SystemFile;
use anyhow::Result;
use renga_boot_card::NodeFile;
use renga_workspace::environment::Environment;
use std::fs;

/// What the card is compared with.
#[derive(Default)]
pub struct Expected<'a> {
    /// The cluster that it should belong to.
    pub cluster: Option<&'a CardCluster>,
    /// The system that it names, as it is now.
    pub system: Option<ExpectedSystem>,
    /// The kernel of the sources as they are now, filled up as on a card.
    pub kernel: Option<Checksum>,
}

/// A system here that has the name of a card's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectedSystem {
    /// Its file.
    pub file: String,
    /// Its placement.
    pub placement: u64,
    /// Its board that owns the disk.
    pub disk_board: Option<usize>,
}

impl ExpectedSystem {
    /// The system that a card says to be of: that of `cluster`, if it has this name, otherwise one that comes with
    /// Renga.
    pub(super) fn named(
        environment: &Environment,
        name: &str,
        cluster: Option<&CardCluster>,
    ) -> Option<ExpectedSystem> {
        let of_cluster = cluster.map(|cluster| &cluster.system).filter(|system| system.name() == name);
        of_cluster
            .map(|system| ExpectedSystem::of(environment, system))
            .or_else(|| Some(ExpectedSystem::of(environment, &SystemFile::find(environment, name).ok()?)))
    }

    fn of(environment: &Environment, system: &SystemFile) -> ExpectedSystem {
        let file = system.path.strip_prefix(&environment.root).unwrap_or(&system.path).display().to_string();
        let disk_board = system.checked.boards.iter().position(|board| board.owns_disk);
        ExpectedSystem { file, placement: system.placement(), disk_board }
    }
}

impl<'a> Expected<'a> {
    /// What a card that says `node` should be like; of `cluster`, if it is known to which it belongs.
    ///
    /// # Errors
    /// If the kernel that is built cannot be read.
    pub fn of(
        environment: &Environment,
        node: Option<&NodeFile<'_>>,
        cluster: Option<&'a CardCluster>,
    ) -> Result<Expected<'a>> {
        let kernel = artifacts::kernel_if_built(environment, KernelFlavour::Plain)
            .map(|kernel| anyhow::Ok(sha256(&kernel_files(&fs::read(kernel.image)?, &[])?[0].bytes)))
            .transpose()?;
        let system = node.and_then(|node| ExpectedSystem::named(environment, node.system, cluster));
        Ok(Expected { cluster, system, kernel })
    }
}
