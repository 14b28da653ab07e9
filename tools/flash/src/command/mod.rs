//! `renga flash`: writes card images to cards.
//!
//! Not here: what makes that safe (`crate`).

mod cluster;
mod terminal;

use crate::{
    BlockDevice, EJECT, FlashError, FlashTarget, Host, Rounds, confirm, eject, open_for_reading, open_for_writing,
    refusals, verify_image, write_image,
};
use anyhow::{Context, Result, anyhow};
use renga_cli::Flash;
use renga_images::card::{Checksum, sha256_of_file};
use renga_images::partition_table::SECTOR_BYTES;
use renga_workspace::environment::Environment;
use std::fs::File;
use std::path::Path;
use terminal::{Bar, Keyboard};

/// Writes, verifies or lists; the exit status says how it ended.
///
/// # Errors
/// If the host's devices cannot be listed.
pub fn flash(environment: &Environment, options: &Flash) -> Result<u8> {
    let host = Host::this();
    let ended = match (&options.target, &options.card, &options.cluster) {
        (Some(target), Some(image), _) => one(&host, options, target, image),
        (Some(target), None, Some(file)) => cluster::cluster(environment, &host, options, target, file),
        _ => return list(&host),
    };
    Ok(match ended {
        Ok(()) => 0,
        Err(error) => {
            eprintln!("renga: {error}");
            error.status()
        }
    })
}

/// Every disk, with what speaks against writing to it.
fn list(host: &Host) -> Result<u8> {
    for device in host.disks().context("this host has no /sys")? {
        if device.size_bytes == 0 && !device.removable {
            continue; // a driver's empty places
        }
        println!("{device}");
        let reasons = refusals(&device, 1, false);
        reasons.iter().for_each(|reason| println!("  refused: {reason}"));
    }
    println!("Write to one of them: ./renga flash --card FILE /dev/NAME");
    Ok(0)
}

fn one(host: &Host, options: &Flash, target: &Path, image: &Path) -> Result<(), FlashError> {
    let target = FlashTarget::of(host, target)?;
    let image = OpenImage::open(image)?;
    let job = FlashJob { host, options, target: &target, image };
    match job.run(None)? {
        Some(sum) => println!("{}: equal to the image, SHA-256 {sum}; it can be taken out", target.name()),
        None => println!("nothing was written"),
    }
    Ok(())
}

/// An image that is open.
struct OpenImage<'a> {
    path: &'a Path,
    file: File,
    len_bytes: u64,
}

impl OpenImage<'_> {
    fn open(path: &Path) -> Result<OpenImage<'_>, FlashError> {
        let cannot = || format!("cannot read {}", path.display());
        let file = File::open(path).with_context(cannot)?;
        let len_bytes = file.metadata().with_context(cannot)?.len();
        if len_bytes == 0 || !len_bytes.is_multiple_of(SECTOR_BYTES) {
            return Err(anyhow!("{} is no card image: its length is not one of whole sectors", path.display()).into());
        }
        Ok(OpenImage { path, file, len_bytes })
    }
}

/// One image and where it goes.
struct FlashJob<'a> {
    host: &'a Host,
    options: &'a Flash,
    target: &'a FlashTarget,
    image: OpenImage<'a>,
}

impl FlashJob<'_> {
    /// Does what the options say; the checksum of what is on the card then, or none if nothing was to be done. With
    /// `rounds`, the card must not be that of another board than the one named.
    fn run(mut self, rounds: Option<(&Rounds<'_>, &str)>) -> Result<Option<Checksum>, FlashError> {
        let mut bar = Bar::default();
        if let FlashTarget::BlockDevice(device) = self.target {
            println!("{device}");
        }
        let len_bytes = self.image.len_bytes;
        self.target.differs_from(self.image.path)?;
        if self.options.verify_only {
            let mut medium = open_for_reading(self.host, self.target)?;
            return verify_image(&mut self.image.file, len_bytes, &mut medium, &mut bar).map(Some);
        }
        if let FlashTarget::BlockDevice(device) = self.target {
            let reasons = refusals(device, len_bytes, self.options.large);
            if !reasons.is_empty() {
                return Err(FlashError::Refused { target: device.path(), reasons });
            }
        }
        if self.options.dry_run {
            let (image, sum) = (self.image.path.display(), sha256_of_file(self.image.path)?);
            println!("would write {len_bytes} bytes of {image} (SHA-256 {sum}) to {}", self.target.name());
            return Ok(None);
        }
        if let FlashTarget::BlockDevice(device) = self.target {
            self.confirm(device)?;
        }
        let mut medium = open_for_writing(self.host, self.target, len_bytes, self.options.large)?;
        if let Some((rounds, board)) = rounds {
            rounds.check(board, card_number(self.target), &mut medium)?;
        }
        let sum = write_image(&mut self.image.file, len_bytes, &mut medium, &mut bar)?;
        drop(medium);
        if let FlashTarget::BlockDevice(device) = self.target
            && eject(device, EJECT)
        {
            println!("{} was ejected", device.path());
        }
        Ok(Some(sum))
    }

    fn confirm(&self, device: &BlockDevice) -> Result<(), FlashError> {
        match &self.options.serial {
            Some(serial) if *serial == device.distinction() => Ok(()),
            Some(serial) => {
                Err(FlashError::NotConfirmed(format!("{} is {}, not {serial}", device.path(), device.distinction())))
            }
            None => confirm(device, &mut Keyboard::new()?),
        }
    }
}

/// The number of the card in a target, if its reader reports it.
fn card_number(target: &FlashTarget) -> Option<&str> {
    match target {
        FlashTarget::BlockDevice(device) => device.card_number.as_deref(),
        FlashTarget::File(_) => None,
    }
}
