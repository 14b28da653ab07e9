//! `renga cluster new`: from a person's answers to a folder with system file, cluster file, wiring plan and cards.

mod asker;
mod folder;
mod new_folder;
mod next;
mod wanted;

use anyhow::{Context, Result};
use asker::Asker;
use renga_cli::{RealClusterArgs, RealClusterCommand};
use renga_images::card;
use renga_images::disk_image::DiskChoice;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::io::IsTerminal;
use wanted::WantedCluster;

/// Prepares a cluster.
///
/// # Errors
/// If an answer is missing or makes no cluster, or something exists, or cannot be built or written.
pub fn cluster(environment: &Environment, options: &RealClusterArgs) -> Result<u8> {
    let RealClusterCommand::New(options) = &options.what;
    let choice = DiskChoice::try_from(&options.image)?;
    let (mut input, mut output) = (std::io::stdin().lock(), std::io::stderr());
    let mut asker = match (options.yes, input.is_terminal()) {
        (true, _) => Asker::values_in_brackets(),
        (false, true) => Asker::person(&mut input, &mut output),
        (false, false) => Asker::nobody(),
    };
    let wanted = WantedCluster::ask(environment, options, &mut asker)?;
    asker.finish()?;
    let made = folder::write(environment, &wanted, options.force)?;
    if wanted.with_cards {
        let progress = ProgressLine::start();
        let (files, cards) = (made.cluster_file.display(), made.cards.display());
        let cards =
            card::build_cards(environment, &made.cluster, &choice, &made.cards, &progress).with_context(|| {
                format!(
                    "the cards are missing, the rest is whole; later: ./renga image --cluster {files} --out {cards}"
                )
            })?;
        progress.finish();
        cards.iter().for_each(|card| println!("{}", card.path.display()));
    }
    print!("{}", next::text(&wanted, &made));
    Ok(0)
}
