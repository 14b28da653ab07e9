//! `renga image`: builds the disk image, or the cards of real boards, or inspects a card.

use super::card_report::CardReport;
use anyhow::{Result, bail};
use renga_cli::ImageArgs;
use renga_images::artifacts::{self, KernelFlavour};
use renga_images::card::{self, CardCluster, Expected};
use renga_images::disk_image::{self, DiskChoice};
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
use renga_workspace::output;
use renga_workspace::progress::ProgressLine;
use renga_workspace::scratch::Scratch;
use std::fs;
use std::path::Path;

/// Status when the inspected card is not as it should be.
const UNSOUND_STATUS: u8 = 1;

/// Builds or inspects, and prints what came of it.
///
/// # Errors
/// If something cannot be built, fetched, written or read.
pub fn image(environment: &Environment, options: &ImageArgs) -> Result<u8> {
    match &options.out {
        Some(folder) if options.cluster.is_some() || !options.board.is_empty() => output::expect_folder(folder)?,
        out => output::expect_file(out.as_deref())?,
    }
    let cluster = options.cluster.as_deref().map(|path| CardCluster::read(environment, path)).transpose()?;
    let choice = DiskChoice::try_from(&options.choice)?;
    if options.list {
        return list(environment, choice);
    }
    if let Some(path) = &options.inspect {
        return inspect(environment, path, cluster.as_ref(), options.json.as_deref());
    }
    if let Some(path) = &options.update {
        return update(environment, options, cluster, path);
    }
    let cluster = match cluster {
        None if options.board.is_empty() => None,
        None => {
            let system = SystemFile::find(environment, &options.system)?;
            Some(CardCluster::new(options.name.clone(), system, options.link.as_deref(), &options.board)?)
        }
        some => some,
    };
    let progress = ProgressLine::start();
    let Some(mut cluster) = cluster else {
        if options.program.is_some() {
            bail!("say which boards are to run that: --board MODEL, or --cluster FILE");
        }
        let path = artifacts::disk(environment, &choice, options.out.as_deref(), &progress)?;
        progress.finish();
        println!("{}", path.display());
        return Ok(0);
    };
    cluster.program = options.program.or(cluster.program);
    let Some(out) = &options.out else { bail!("say into which folder the cards go: --out FOLDER") };
    let cards = card::build_cards(environment, &cluster, &choice, out, &progress)?;
    progress.finish();
    for card in cards {
        println!("{}  {}", card::sha256_of_file(&card.path)?, card.path.display());
    }
    Ok(0)
}

/// Writes the file that `renga-update` takes.
fn update(environment: &Environment, options: &ImageArgs, cluster: Option<CardCluster>, path: &Path) -> Result<u8> {
    let system =
        cluster.map_or_else(|| SystemFile::find(environment, &options.system), |cluster| Ok(cluster.system))?;
    output::expect_file(Some(path))?;
    let progress = ProgressLine::start();
    let kernel = artifacts::kernel(environment, KernelFlavour::Plain, &progress)?;
    progress.finish();
    let update = card::update(&fs::read(&kernel.image)?, &system.checked.to_blob())?;
    output::replace(path, &update)?;
    println!("{}  {}", card::sha256(&update), path.display());
    Ok(0)
}

/// What is to choose from; the choice that was given is listed as well.
fn list(environment: &Environment, choice: DiskChoice) -> Result<u8> {
    for image in disk_image::catalogue(&environment.root, &[choice])? {
        println!("{}: {}", image.name, image.about);
        println!("  named     {}", image.named.join(" "));
        match (image.fetched, image.cached) {
            (None, _) => println!("  packages  not fetched yet: ./renga image --image {}", image.name),
            (Some(packages), None) => println!("  packages  {packages}, fetched; the image is not built yet"),
            (Some(packages), Some(cached)) => {
                println!("  packages  {packages}, with {} files of {}", cached.files, megabytes(cached.content_bytes));
                println!(
                    "  cached    a card of {}, {} on this machine",
                    megabytes(cached.card_bytes),
                    megabytes(cached.host_bytes)
                );
            }
        }
    }
    Ok(0)
}

fn megabytes(bytes: u64) -> String {
    format!("{} MB", bytes.div_ceil(1_000_000))
}

fn inspect(environment: &Environment, path: &Path, cluster: Option<&CardCluster>, json: Option<&Path>) -> Result<u8> {
    let scratch = Scratch::make(environment)?;
    let progress = ProgressLine::start();
    progress.step("reading the card");
    let inspection = card::inspect(path, &scratch.folder, |node| Expected::of(environment, node, cluster));
    progress.finish();
    let inspection = inspection?;
    let report = CardReport::of(path, &inspection);
    if output::leaves_text(json) {
        report.print();
    }
    output::write_json(json, &report)?;
    Ok(if inspection.is_sound() { 0 } else { UNSOUND_STATUS })
}
