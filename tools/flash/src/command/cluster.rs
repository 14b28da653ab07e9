//! The cards of a cluster: as many at once as there are devices.

use super::job::{FlashCall, ReadyJob, card_number};
use super::parallel::run_all;
use super::terminal::{Bars, Keyboard};
use crate::{BoardCard, CardRound, FlashError, FlashJournal, FlashTarget, Person, Rounds};
use anyhow::anyhow;
use renga_cli::Flash;
use renga_images::card::{self, CardCluster, Checksum, card_file_name, sha256_of_file};
use renga_images::disk_image::DiskChoice;
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::path::Path;

/// How often a person may put in a card that cannot be used.
const TRIES_MAX: usize = 10;

/// A round of cards and its call.
struct ClusterRounds<'a> {
    call: &'a FlashCall<'a>,
    cluster: &'a CardCluster,
    rounds: Rounds<'a>,
}

/// A board's card and the place of its device on the command line.
struct PlacedCard {
    card: BoardCard,
    place: usize,
}

/// A card in its device, and the card's own number.
struct FoundCard {
    placed: PlacedCard,
    number: Option<String>,
}

/// Writes a card for each board that has none yet.
pub fn cluster(call: &FlashCall<'_>, file: &Path) -> Result<(), FlashError> {
    let options = call.options;
    let cluster = CardCluster::read(call.environment, file)?;
    let cards = images(call.environment, &cluster, options)?;
    let journal = FlashJournal::beside(file)?;
    println!("journal: {}", journal.path().display());
    let wanted: Vec<BoardCard> = cards.into_iter().filter(|card| wanted(options, card)).collect();
    if wanted.is_empty() {
        return Err(
            anyhow!("cluster `{}` has no board `{}`", cluster.name, options.board.as_deref().unwrap_or("")).into()
        );
    }
    if options.yes && wanted.len() > options.device.len() {
        return Err(FlashError::NotConfirmed(
            "--yes cannot wait for a change of cards: name one board, --board NAME, or a device for each".into(),
        ));
    }
    if options.yes && wanted.len() < options.device.len() {
        return Err(FlashError::NotConfirmed("with --yes there are more devices than boards".into()));
    }
    let mut rounds = ClusterRounds { call, cluster: &cluster, rounds: Rounds::new(&cluster, journal, options.force) };
    // A board keeps its device when the round is taken up again, whichever boards are done.
    for boards in wanted.chunks(options.device.len()) {
        let mut left = Vec::new();
        for (place, card) in boards.iter().cloned().enumerate() {
            match rounds.rounds.of(card) {
                CardRound::Done(card) if !options.verify_only => println!("board {}: has its card", card.board),
                CardRound::Done(card) | CardRound::ToWrite(card) => left.push(PlacedCard { card, place }),
            }
        }
        rounds.write(left)?;
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

impl<'a> ClusterRounds<'a> {
    /// Writes these cards at once, each in its device. A card that fails does not stop the others.
    fn write(&mut self, cards: Vec<PlacedCard>) -> Result<(), FlashError> {
        let mut jobs = Vec::new();
        for placed in cards {
            jobs.extend(self.prepare(placed)?);
        }
        let (bars, is_one) = (Bars::default(), jobs.len() == 1);
        let run = |(found, job): (FoundCard, ReadyJob<'a>)| {
            let mut bar = bars.of(if is_one { "" } else { &found.placed.card.board });
            (found, move || job.run(&mut bar))
        };
        let mut outcome = Ok(());
        for (found, sum) in run_all(jobs.into_iter().map(run).collect()) {
            if let Err(error) = sum.and_then(|sum| self.written(&found, sum)) {
                let PlacedCard { card, place } = &found.placed;
                eprintln!("board {} in {}: {error}", card.board, self.call.options.device[*place].display());
                outcome = outcome.and(Err(error));
            }
        }
        outcome
    }

    /// One board's card: asks for it until one comes that can be used; none if nothing is to be done.
    fn prepare(&self, placed: PlacedCard) -> Result<Option<(FoundCard, ReadyJob<'a>)>, FlashError> {
        let (call, options) = (self.call, self.call.options);
        let PlacedCard { card, place } = &placed;
        let device = &options.device[*place];
        let is_unattended = options.yes || options.dry_run;
        for _ in 0..TRIES_MAX {
            if !is_unattended {
                let question =
                    format!("Put the card for board {} into {} and press Enter: ", card.board, device.display());
                Keyboard::new()?.ask(&question).ok_or_else(|| FlashError::NotConfirmed("the input ended".into()))?;
            }
            let target = FlashTarget::device(call.host, device)?;
            let number = card_number(&target).map(str::to_string);
            let rounds = Some((&self.rounds, card.board.as_str()));
            match call.prepare((target, *place), &card.image, Some(self.cluster), rounds) {
                Ok(job) => return Ok(job.map(|job| (FoundCard { placed, number }, job))),
                Err(error) if !is_unattended && wants_another_card(&error) => eprintln!("renga: {error}"),
                Err(error) => return Err(error),
            }
        }
        Err(FlashError::NotConfirmed(format!("no card for board {} after {TRIES_MAX} tries", card.board)))
    }

    /// Notes a card that is whole.
    fn written(&mut self, found: &FoundCard, sum: Checksum) -> Result<(), FlashError> {
        let PlacedCard { card, place } = &found.placed;
        if !self.call.options.verify_only {
            self.rounds.written(card, found.number.clone(), sum)?;
        }
        let (board, device) = (&card.board, self.call.options.device[*place].display());
        println!(
            "board {board}: equal to its image, SHA-256 {sum}; take the card out of {device} and write {board} on it"
        );
        Ok(())
    }
}

/// Whether another card may do.
fn wants_another_card(error: &FlashError) -> bool {
    matches!(error, FlashError::Taken { .. } | FlashError::Refused { .. } | FlashError::NotConfirmed(_))
}
