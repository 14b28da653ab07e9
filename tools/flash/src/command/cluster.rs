//! The cards of a cluster, one after the other.

use super::terminal::Keyboard;
use super::{FlashJob, OpenImage, card_number};
use crate::{BoardCard, CardRound, FlashError, FlashJournal, FlashTarget, Host, Person, Rounds};
use anyhow::anyhow;
use renga_cli::Flash;
use renga_images::card::{self, CardCluster, card_file_name, sha256_of_file};
use renga_images::disk_image::DiskChoice;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::path::Path;

/// How often a person may put in a card that cannot be used.
const TRIES_MAX: usize = 10;

/// Writes a card for each board that has none yet.
pub fn cluster(
    environment: &Environment,
    host: &Host,
    options: &Flash,
    target: &Path,
    file: &Path,
) -> Result<(), FlashError> {
    let cluster = CardCluster::read(environment, file)?;
    let cards = images(environment, &cluster, options)?;
    let journal = FlashJournal::beside(file)?;
    println!("journal: {}", journal.path().display());
    let mut rounds = Rounds::new(&cluster, journal, options.force);
    let wanted: Vec<BoardCard> = cards.into_iter().filter(|card| wanted(options, card)).collect();
    if wanted.is_empty() {
        return Err(
            anyhow!("cluster `{}` has no board `{}`", cluster.name, options.board.as_deref().unwrap_or("")).into()
        );
    }
    if options.yes && wanted.len() > 1 {
        return Err(FlashError::NotConfirmed(
            "--yes cannot wait for a change of cards: name one board, --board NAME".into(),
        ));
    }
    for card in wanted {
        match rounds.of(card) {
            CardRound::Done(card) if !options.verify_only => println!("board {}: has its card", card.board),
            CardRound::Done(card) | CardRound::ToWrite(card) => board(host, options, target, &mut rounds, &card)?,
        }
    }
    Ok(())
}

fn wanted(options: &Flash, card: &BoardCard) -> bool {
    options.board.as_ref().is_none_or(|board| *board == card.board)
}

/// The image of each board's card.
fn images(environment: &Environment, cluster: &CardCluster, options: &Flash) -> Result<Vec<BoardCard>, FlashError> {
    let folder = match &options.cards {
        Some(folder) => folder.clone(),
        None => {
            let folder = environment.work().join("cards").join(&cluster.name);
            let progress = ProgressLine::start();
            card::build_cards(environment, cluster, &DiskChoice::default(), &folder, &progress)?;
            progress.finish();
            folder
        }
    };
    let card = |number: usize| {
        let image = folder.join(card_file_name(cluster, number));
        let sum = sha256_of_file(&image)?;
        Ok(BoardCard { board: cluster.board_name(number).to_string(), image, sum })
    };
    (0..cluster.models.len()).map(card).collect()
}

/// One board's card: asks for it until one comes that can be used.
fn board(
    host: &Host,
    options: &Flash,
    path: &Path,
    rounds: &mut Rounds<'_>,
    card: &BoardCard,
) -> Result<(), FlashError> {
    let unattended = options.yes || options.dry_run || !is_device(path);
    for _ in 0..TRIES_MAX {
        if !unattended {
            let question = format!("Put the card for board {} into {} and press Enter: ", card.board, path.display());
            Keyboard::new()?.ask(&question).ok_or_else(|| FlashError::NotConfirmed("the input ended".into()))?;
        }
        match write(host, options, path, rounds, card) {
            Err(error) if !unattended && wants_another_card(&error) => eprintln!("renga: {error}"),
            ended => return ended,
        }
    }
    Err(FlashError::NotConfirmed(format!("no card for board {} after {TRIES_MAX} tries", card.board)))
}

fn write(
    host: &Host,
    options: &Flash,
    path: &Path,
    rounds: &mut Rounds<'_>,
    card: &BoardCard,
) -> Result<(), FlashError> {
    let target = FlashTarget::of(host, path)?;
    let job = FlashJob { host, options, target: &target, image: OpenImage::open(&card.image)? };
    let Some(sum) = job.run(Some((rounds, &card.board)))? else { return Ok(()) };
    if !options.verify_only {
        rounds.written(card, card_number(&target).map(str::to_string))?;
    }
    println!(
        "board {}: equal to its image, SHA-256 {sum}; take the card out and write {} on it",
        card.board, card.board
    );
    Ok(())
}

fn is_device(path: &Path) -> bool {
    path.starts_with("/dev")
}

/// Whether another card may do.
fn wants_another_card(error: &FlashError) -> bool {
    matches!(error, FlashError::Taken { .. } | FlashError::Refused { .. } | FlashError::NotConfirmed(_))
}
