//! `renga image`: builds the disk image, or the cards of real boards, or inspects a card.

use anyhow::{Context, Result, bail};
use renga_boot_card::NodeFile;
use renga_cli::ImageArgs;
use renga_images::artifacts::{self, KernelFlavour};
use renga_images::card::{self, CardCluster, CardFinding, Expected, Inspection};
use renga_images::disk_image::{self, DiskChoice};
use renga_images::partition_table::{TYPE_FAT32, TYPE_LINUX};
use renga_images::system::SystemFile;
use renga_workspace::environment::Environment;
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
    let cluster = options.cluster.as_deref().map(|path| CardCluster::read(environment, path)).transpose()?;
    let choice = DiskChoice::try_from(&options.choice)?;
    if options.list {
        return list(environment, choice);
    }
    if let Some(path) = &options.inspect {
        return inspect(environment, path, cluster.as_ref());
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
    let progress = ProgressLine::start();
    let kernel = artifacts::kernel(environment, KernelFlavour::Plain, &progress)?;
    progress.finish();
    let update = card::update(&fs::read(&kernel.image)?, &system.checked.to_blob())?;
    fs::write(path, &update).with_context(|| format!("cannot write {}", path.display()))?;
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

fn inspect(environment: &Environment, path: &Path, cluster: Option<&CardCluster>) -> Result<u8> {
    let scratch = Scratch::make(environment)?;
    let progress = ProgressLine::start();
    progress.step("reading the card");
    let inspection = card::inspect(path, &scratch.folder, |node| expected(environment, node, cluster));
    progress.finish();
    let inspection = inspection?;
    print(path, &inspection);
    Ok(if inspection.is_sound() { 0 } else { UNSOUND_STATUS })
}

/// What a card that says `node` should be like by the sources and files here.
fn expected<'a>(
    environment: &Environment,
    node: Option<&NodeFile<'_>>,
    cluster: Option<&'a CardCluster>,
) -> Result<Expected<'a>> {
    let named = node.and_then(|node| SystemFile::find(environment, node.system).ok());
    let system = cluster.map(|cluster| &cluster.system).or(named.as_ref());
    let kernel = artifacts::kernel_if_built(environment)
        .map(|kernel| anyhow::Ok(card::sha256(&card::kernel_files(&fs::read(kernel.image)?, &[])?[0].bytes)))
        .transpose()?;
    Ok(Expected { cluster, placement: system.map(SystemFile::placement), kernel })
}

fn print(path: &Path, inspection: &Inspection) {
    println!("{}", path.display());
    for (number, partition) in inspection.partitions.iter().enumerate() {
        let kind = match partition.kind {
            TYPE_FAT32 => "FAT32".to_string(),
            TYPE_LINUX => "Linux".to_string(),
            other => format!("type {other:#04x}"),
        };
        let (start, len) = (partition.extent.start_bytes >> 20, partition.extent.len_bytes >> 20);
        println!("partition {}  {kind}, {len} MiB from {start} MiB", number + 1);
    }
    for file in &inspection.files {
        println!("{}  {:>8}  {}", file.sum, file.len_bytes, file.name);
    }
    for slot in &inspection.slots {
        let kernel = slot.kernel.map_or("no kernel".to_string(), |kernel| format!("kernel {}...", kernel.short()));
        let state = slot.fault.as_deref().unwrap_or("whole");
        println!(
            "start from partition {}{}: {kernel}, {state}",
            slot.partition,
            if slot.usual { ", the usual" } else { "" }
        );
    }
    if let Some(node) = inspection.node() {
        println!("board {} ({}, a {}) of cluster {}", node.name, node.board, node.model, node.cluster);
        println!("system {} ({:016x}), boards {}, link {}", node.system, node.placement, node.boards, node.link);
    }
    for finding in &inspection.findings {
        match finding {
            CardFinding::Fault(what) => println!("WRONG: {what}"),
            CardFinding::Unchecked(what) => println!("not checked: {what}"),
        }
    }
    println!("{}", if inspection.is_sound() { "sound" } else { "not sound" });
}
