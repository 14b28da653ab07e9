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
    /// The placement of the system that it names, as it is now.
    pub placement: Option<u64>,
    /// The kernel of the sources as they are now, filled up as on a card.
    pub kernel: Option<Checksum>,
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
        let named = node.and_then(|node| SystemFile::find(environment, node.system).ok());
        let system = cluster.map(|cluster| &cluster.system).or(named.as_ref());
        let kernel = artifacts::kernel_if_built(environment, KernelFlavour::Plain)
            .map(|kernel| anyhow::Ok(sha256(&kernel_files(&fs::read(kernel.image)?, &[])?[0].bytes)))
            .transpose()?;
        Ok(Expected { cluster, placement: system.map(SystemFile::placement), kernel })
    }
}
