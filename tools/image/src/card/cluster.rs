//! Which cards a cluster needs: its name, its system, its link, and the model of each board.
//!
//! A cluster file is what `--cluster` takes:
//!
//! ```toml
//! name = "lab"
//! system = "pair"
//! link = "pins"          # unless it is said: pins
//! program = "pintest"    # in place of the system; unless it is said: none
//!
//! [boards]               # every board of the system
//! a = "pi3"
//! b = "zero2w"
//! ```

use super::models;
use crate::system::SystemFile;
use anyhow::{Context, Result, anyhow, bail};
use clap::ValueEnum;
use renga_boot_card::{LinkMode, Model, NAME_BYTES_MAX, NODE_BYTES_MAX, NodeFile};
use renga_cli::ProgramName;
use renga_workspace::environment::Environment;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// `check` accepts no system that a card cannot name.
const _: () = assert!(renga_placement::SYSTEM_NAME_BYTES_MAX == NAME_BYTES_MAX);

/// A cluster for which cards are made.
pub struct CardCluster {
    /// Its name.
    pub name: String,
    /// Its system.
    pub system: SystemFile,
    /// What joins its boards.
    pub link: LinkMode,
    /// Each board's model, by number.
    pub models: Vec<Model>,
    /// What the boards run in place of the system.
    pub program: Option<ProgramName>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    name: String,
    system: String,
    link: Option<String>,
    program: Option<String>,
    boards: BTreeMap<String, String>,
}

impl CardCluster {
    /// Reads a cluster file.
    ///
    /// # Errors
    /// If it cannot be read, or its boards are not the system's.
    pub fn read(environment: &Environment, path: &Path) -> Result<CardCluster> {
        let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
        let described = || format!("the cluster file {} is refused", path.display());
        let description: Description = toml::from_str(&text).with_context(described)?;
        let system = SystemFile::find(environment, &beside(path, &description.system)).with_context(described)?;
        let models = description.boards.iter().map(|(board, model)| format!("{board}={model}"));
        let models: Vec<String> = models.collect();
        let program = description.program.as_deref().map(program).transpose().with_context(described)?;
        let cluster = CardCluster::new(description.name, system, description.link.as_deref(), &models);
        Ok(CardCluster { program, ..cluster.with_context(described)? })
    }

    /// A cluster whose boards are `models`: `MODEL` for all of them, or `BOARD=MODEL` for each.
    ///
    /// # Errors
    /// If there is no such board, model or link, or a board has no model.
    pub fn new(name: String, system: SystemFile, link: Option<&str>, models: &[String]) -> Result<CardCluster> {
        let link = match link {
            None => LinkMode::Pins,
            Some(mode) => LinkMode::named(mode).with_context(|| {
                format!("there is no link `{mode}`: known ones are {}", LinkMode::ALL.map(LinkMode::name).join(", "))
            })?,
        };
        let boards: Vec<&str> = system.checked.boards.iter().map(|board| board.name.as_str()).collect();
        let models = models::of_boards(&boards, models, None)?;
        let cluster = CardCluster { name, system, link, models, program: None };
        for board in 0..cluster.models.len() {
            let text = cluster.node_file(board);
            if text.len() > NODE_BYTES_MAX {
                bail!("the names of cluster and boards are too long: NODE.TXT has {NODE_BYTES_MAX} bytes at most");
            }
            NodeFile::parse(text.as_bytes()).map_err(|fault| {
                anyhow::anyhow!(
                    "cluster `{}`: {fault} (names have 1 to {NAME_BYTES_MAX} letters, digits, - and _)",
                    cluster.name
                )
            })?;
        }
        Ok(cluster)
    }

    /// The name of board `number`.
    pub fn board_name(&self, number: usize) -> &str {
        &self.system.checked.boards[number].name
    }

    /// Whether board `number` owns the disk.
    pub fn owns_disk(&self, number: usize) -> bool {
        self.system.checked.boards[number].owns_disk
    }

    /// `NODE.TXT` of board `number`.
    pub fn node_file(&self, number: usize) -> String {
        let boards: Vec<&str> = self.system.checked.boards.iter().map(|board| board.name.as_str()).collect();
        let node = NodeFile {
            cluster: &self.name,
            system: self.system.name(),
            placement: self.system.placement(),
            board: number as u8,
            name: self.board_name(number),
            boards: &boards.join(","),
            model: self.models[number],
            link: self.link,
        };
        node.to_string()
    }
}

/// The system that the cluster file at `path` names: a name, or a file whose path begins at the cluster file's folder.
fn beside(path: &Path, system: &str) -> String {
    let folder = path.parent().filter(|_| system.ends_with(".toml") || system.contains('/'));
    // A file in this folder is a file too.
    folder.map_or_else(|| system.to_string(), |folder| Path::new(".").join(folder).join(system).display().to_string())
}

/// The program called `name`.
fn program(name: &str) -> Result<ProgramName> {
    ProgramName::from_str(name, false).map_err(|_| {
        let known: Vec<&str> = ProgramName::value_variants().iter().map(|program| program.name()).collect();
        anyhow!("there is no program `{name}`: known ones are {}", known.join(", "))
    })
}
