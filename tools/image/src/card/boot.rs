//! What a board loads from its card, taken out of the image: for the emulator, which plays the firmware's part.
//!
//! Invariant: kernel, system's tables, device tree and command line are the card's own, byte for byte; the card that
//! the board then finds in its slot is a copy. Not here: the firmware itself, which the emulator cannot run.

use super::fat::CardFile;
use super::inspect::read_boot_files;
use super::{firmware, settings, slots};
use crate::disk_image::partition::{copy_out, copy_sparse, find};
use crate::disk_image::{self, Placed, add_file};
use crate::system::SystemFile;
use anyhow::{Context, Result, bail};
use renga_boot_card::{KERNEL_FILE, PARTITIONS, TABLES_FILE};
use renga_boot_card::{LinkMode, Model, NODE_FILE, NodeFile};
use renga_cli::ProgramName;
use renga_emu::{FirmwareLoader, Loaded};
use std::fs::{self, File};
use std::io::{Seek, SeekFrom};
use std::path::{Path, PathBuf};

/// What one board boots.
#[derive(Clone, Debug)]
pub struct CardBoot {
    /// What it is.
    pub model: Model,
    /// Its kernel.
    pub kernel: PathBuf,
    /// Its system's tables.
    pub tables: PathBuf,
    /// Its device tree.
    pub device_tree: PathBuf,
    /// Its command line.
    pub command_line: String,
    /// What joins it to the others.
    pub link: LinkMode,
    /// What it runs in place of the system.
    pub program: Option<ProgramName>,
    /// A copy of its card.
    pub card: PathBuf,
}

/// Takes the cards in `folder`, one for each board of `system`, into `scratch`; in the order of the boards' numbers.
///
/// # Errors
/// If one is missing, there is one too many, they are of different clusters or another placement, or one lacks a file.
pub fn boot_cards(folder: &Path, system: &SystemFile, scratch: &Path) -> Result<Vec<CardBoot>> {
    let mut images: Vec<PathBuf> = fs::read_dir(folder)
        .with_context(|| format!("cannot read {}", folder.display()))?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|extension| extension == "img"))
        .collect();
    images.sort();
    let mut boots: Vec<Option<CardBoot>> = system.checked.boards.iter().map(|_| None).collect();
    let mut cluster = None;
    for image in images {
        let of_image = || format!("the card {}", image.display());
        let files = read_boot_files(&image, PARTITIONS[0]).with_context(of_image)?;
        let text = String::from_utf8_lossy(content(&files, NODE_FILE).with_context(of_image)?).into_owned();
        let node = NodeFile::parse(text.as_bytes()).with_context(of_image)?;
        if cluster.get_or_insert_with(|| node.cluster.to_string()) != node.cluster {
            bail!("{} has cards of different clusters", folder.display());
        }
        if node.placement != system.placement() {
            bail!("{} was made for another placement than `{}`: make the cards again", image.display(), system.name());
        }
        if node.link == LinkMode::Spi {
            bail!(
                "{} is of a cluster linked over SPI, of which the emulator has no listeners: link = \"pins\"",
                image.display()
            );
        }
        let place = boots.get_mut(usize::from(node.board)).with_context(of_image)?;
        if place.is_some() {
            bail!("{} has two cards of board {}", folder.display(), node.name);
        }
        *place = Some(take_out(&files, &node, &image, scratch).with_context(of_image)?);
    }
    let missing = |(boot, board): (Option<CardBoot>, &renga_placement::SystemBoard)| {
        boot.with_context(|| format!("{} has no card of board {}", folder.display(), board.name))
    };
    boots.into_iter().zip(&system.checked.boards).map(missing).collect()
}

/// Puts a file on the second partition of a copy of a card, in place of one that may be there.
///
/// # Errors
/// If there is no such partition, or debugfs cannot write to it.
pub fn put_on_disk(card: &Path, path: &str, content: &[u8], scratch: &Path) -> Result<()> {
    let (filesystem, staged) = (scratch.join("filesystem"), scratch.join("staged"));
    let extent = find(card)?;
    copy_out(card, extent, &filesystem)?;
    fs::write(&staged, content)?;
    add_file(&filesystem, path, &staged)?;
    let mut to = File::options().write(true).open(card)?;
    std::io::copy(&mut File::open(&filesystem)?, &mut (to.seek(SeekFrom::Start(extent.start_bytes)).map(|_| &to)?))?;
    Ok(())
}

/// Puts files on the second partition of a copy of a card, none of which may be there; other files beside the copy are
/// staged there.
///
/// # Errors
/// If there is no such partition, or debugfs cannot write to it.
pub fn place_on_disk(card: &Path, placed: &[Placed]) -> Result<()> {
    Ok(disk_image::place(card, find(card)?.start_bytes, placed)?)
}

fn take_out(files: &[CardFile], node: &NodeFile<'_>, image: &Path, scratch: &Path) -> Result<CardBoot> {
    let place = |name: &str| scratch.join(format!("{}-{name}", node.name));
    let take = |name: &str| -> Result<PathBuf> {
        fs::write(place(name), content(files, name)?)?;
        Ok(place(name))
    };
    let command_line = String::from_utf8_lossy(content(files, "cmdline.txt")?).trim().to_string();
    let boot = CardBoot {
        model: node.model,
        kernel: take(KERNEL_FILE)?,
        tables: take(TABLES_FILE)?,
        device_tree: take(firmware::device_tree(node.model))?,
        program: settings::program_of(&command_line),
        command_line,
        link: node.link,
        card: place("card.img"),
    };
    copy_sparse(image, &boot.card)?;
    Ok(boot)
}

/// The firmware of a board with this card: from the partition that a reset named, or from the usual one.
pub fn firmware_of(card: &CardBoot) -> FirmwareLoader {
    let (card, model) = (card.card.clone(), card.model);
    FirmwareLoader::new(move |named| load(&card, model, named).map_err(|error| format!("{error:#}")))
}

fn load(card: &Path, model: Model, named: u8) -> Result<Loaded> {
    let first = read_boot_files(card, PARTITIONS[0])?;
    let partition = match named {
        0 => slots::usual(&first).context("its AUTOBOOT.TXT says nothing that the firmware would take")?,
        named => named,
    };
    let files = if partition == PARTITIONS[0] { first } else { read_boot_files(card, partition)? };
    let take = |name: &str| -> Result<PathBuf> {
        let path = card.with_extension(format!("{partition}-{name}"));
        fs::write(&path, content(&files, name)?)?;
        Ok(path)
    };
    Ok(Loaded {
        image: take(KERNEL_FILE)?,
        initrd: take(TABLES_FILE)?,
        dtb: take(firmware::device_tree(model))?,
        append: String::from_utf8_lossy(content(&files, "cmdline.txt")?).trim().to_string(),
    })
}

fn content<'a>(files: &'a [CardFile], name: &str) -> Result<&'a [u8]> {
    let file = files.iter().find(|file| file.name == name);
    Ok(&file.with_context(|| format!("it has no {name}"))?.bytes)
}
