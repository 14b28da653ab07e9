//! The folder of a new cluster: system file, cluster file, wiring plan, and a place for cards.
//!
//! Invariant: nothing that exists is written over unless that is forced; a system file that is written is accepted by
//! `renga check`.

use super::new_folder::expect_new;
use super::wanted::WantedCluster;
use crate::command::system;
use anyhow::{Context, Result};
use renga_cli::SystemNew;
use renga_images::card::CardCluster;
use renga_wiring::{PlannedBoard, WiringPlan, drawing, page};
use renga_workspace::environment::Environment;
use std::fs::{self, File};
use std::io::Write;
use std::path::PathBuf;

const SYSTEM: &str = "system.toml";
const CLUSTER: &str = "cluster.toml";
const PLAN: &str = "wiring.md";
const DRAWING: &str = "wiring.svg";
const CARDS: &str = "cards";

/// What was made.
pub(super) struct MadeCluster {
    /// The cluster, as its file describes it.
    pub cluster: CardCluster,
    /// That file.
    pub cluster_file: PathBuf,
    /// The system file.
    pub system_file: PathBuf,
    /// The plan's page; the drawing is beside it.
    pub plan: PathBuf,
    /// Where the card images are, or will be.
    pub cards: PathBuf,
}

/// Writes all but the cards.
///
/// # Errors
/// If the system is refused, or a file cannot be written.
pub(super) fn write(environment: &Environment, wanted: &WantedCluster, force: bool) -> Result<MadeCluster> {
    let out = &wanted.out;
    expect_new(out, force)?;
    let count = wanted.models.len();
    let options = SystemNew {
        boards: count as u8,
        from: (wanted.cores > 1).then(|| many_cores(count).to_string()),
        disk_board: Some(wanted.disk_board.clone()),
        out: None,
    };
    let text = system::text(environment, &options, &wanted.name)?;
    fs::create_dir_all(out).with_context(|| format!("cannot make {}", out.display()))?;
    let put = |name: &str, text: &str| -> Result<PathBuf> {
        let path = out.join(name);
        let mut file = if force { File::create(&path) } else { File::create_new(&path) }
            .with_context(|| format!("cannot write {}", path.display()))?;
        file.write_all(text.as_bytes()).with_context(|| format!("cannot write {}", path.display()))?;
        Ok(path)
    };
    let system_file = put(SYSTEM, &text)?;
    let cluster_file = put(CLUSTER, &description(wanted, &board_names(&text)?))?;
    let cluster = CardCluster::read(environment, &cluster_file)?;
    let boards = wanted.models.iter().enumerate();
    let boards = boards.map(|(number, model)| PlannedBoard { name: cluster.board_name(number).into(), model: *model });
    let plan = WiringPlan::of(&boards.collect::<Vec<_>>(), wanted.link);
    put(DRAWING, &drawing(&plan, &wanted.name))?;
    let plan = put(PLAN, &page(&plan, &wanted.name, DRAWING))?;
    Ok(MadeCluster { cluster, cluster_file, system_file, plan, cards: out.join(CARDS) })
}

/// The system with four cores a board whose processes a new one of so many boards has.
fn many_cores(boards: usize) -> &'static str {
    match boards {
        1 => "solo4",
        2 => "pair4",
        _ => "quad4",
    }
}

fn board_names(system: &str) -> Result<Vec<String>> {
    Ok(renga_placement::parse(system)?.boards.into_iter().map(|board| board.name).collect())
}

/// The cluster file.
fn description(wanted: &WantedCluster, boards: &[String]) -> String {
    let models = boards.iter().zip(&wanted.models).map(|(board, model)| format!("{board} = \"{model}\"\n"));
    format!(
        "# Made by `renga cluster new`: what the cards of these boards are like.\n\
         name = \"{}\"\nsystem = \"{SYSTEM}\"\nlink = \"{}\"\n\n[boards]\n{}",
        wanted.name,
        wanted.link,
        models.collect::<String>()
    )
}
