//! One image and where it goes.
//!
//! Invariant: a job is prepared (inspected, confirmed, opened) before any job writes, so that several write at once
//! without a question between them. Not here: what makes writing safe (`crate`).

use super::image::OpenImage;
use super::terminal::{Bar, Keyboard};
use crate::{
    BlockDevice, EJECT, FlashError, FlashTarget, Host, HostMedium, OrdinaryFile, Rounds, confirm, confirm_file, eject,
    open_for_reading, open_for_writing, refusals, verify_image, write_image,
};
use renga_cli::Flash;
use renga_images::card::{CardCluster, Checksum, sha256_of_file};
use renga_workspace::environment::Environment;
use renga_workspace::scratch::Scratch;
use std::path::Path;

/// What all jobs of one call share.
pub struct FlashCall<'a> {
    /// Where the project and its files are.
    pub environment: &'a Environment,
    /// This host.
    pub host: &'a Host,
    /// The command line.
    pub options: &'a Flash,
    /// Room for unpacked images, which stay until the call ends.
    pub scratch: &'a Scratch,
}

/// A job that needs no more answers.
pub struct ReadyJob<'a> {
    call: &'a FlashCall<'a>,
    target: FlashTarget,
    image: OpenImage,
    medium: HostMedium,
}

impl FlashCall<'_> {
    /// Inspects `image` and has the target confirmed and opened; none if nothing is to be done. The number of the
    /// target among those of the command line says which `--serial` is its own. With `rounds`, the card must not be
    /// that of another board than the one named.
    ///
    /// # Errors
    /// Every reason not to write.
    pub fn prepare(
        &self,
        (target, number): (FlashTarget, usize),
        image: &Path,
        cluster: Option<&CardCluster>,
        rounds: Option<(&Rounds<'_>, &str)>,
    ) -> Result<Option<ReadyJob<'_>>, FlashError> {
        let options = self.options;
        if let FlashTarget::BlockDevice(device) = &target {
            println!("{device}");
        }
        let unpacked = self.scratch.folder.join(format!("unpacked-{number}.img"));
        // As it was named: a packed image is another file once it is unpacked.
        target.differs_from(image)?;
        let image = OpenImage::open(image, &unpacked)?;
        if options.verify_only {
            let medium = open_for_reading(self.host, &target)?;
            return Ok(Some(ReadyJob { call: self, target, image, medium }));
        }
        if let FlashTarget::BlockDevice(device) = &target {
            let reasons = refusals(device, image.len_bytes, options.large);
            if !reasons.is_empty() {
                return Err(FlashError::Refused { target: device.path(), reasons });
            }
        }
        if !options.raw {
            image.inspect(self.environment, self.scratch, cluster)?;
        }
        if options.dry_run {
            let (path, sum) = (image.path.display(), sha256_of_file(&image.path)?);
            println!("would write {} bytes of {path} (SHA-256 {sum}) to {}", image.len_bytes, target.name());
            return Ok(None);
        }
        self.confirm(&target, number)?;
        let mut medium = open_for_writing(self.host, &target, image.len_bytes, options.large)?;
        if let Some((rounds, board)) = rounds {
            rounds.check(board, card_number(&target), &mut medium)?;
        }
        Ok(Some(ReadyJob { call: self, target, image, medium }))
    }

    fn confirm(&self, target: &FlashTarget, number: usize) -> Result<(), FlashError> {
        let named = self.options.serial.get(number);
        if named.is_none() && self.options.yes && !is_new(target) {
            return Err(FlashError::NotConfirmed(format!("there is no --serial for {}", target.name())));
        }
        match (target, named) {
            (FlashTarget::BlockDevice(device), Some(serial)) => confirm_serial(device, serial),
            (FlashTarget::BlockDevice(device), None) => confirm(device, &mut Keyboard::new()?),
            (FlashTarget::File(OrdinaryFile { found: None, .. }), _) => Ok(()),
            (FlashTarget::File(OrdinaryFile { path, .. }), Some(named)) if path == Path::new(named) => Ok(()),
            (FlashTarget::File(OrdinaryFile { path, .. }), Some(named)) => {
                Err(FlashError::NotConfirmed(format!("the file is {}, not {named}", path.display())))
            }
            (FlashTarget::File(OrdinaryFile { path, found: Some(found) }), None) => {
                confirm_file(path, found.len_bytes, &mut Keyboard::new()?)
            }
        }
    }
}

fn is_new(target: &FlashTarget) -> bool {
    matches!(target, FlashTarget::File(OrdinaryFile { found: None, .. }))
}

fn confirm_serial(device: &BlockDevice, serial: &str) -> Result<(), FlashError> {
    if serial == device.distinction() {
        return Ok(());
    }
    Err(FlashError::NotConfirmed(format!("{} is {}, not {serial}", device.path(), device.distinction())))
}

impl ReadyJob<'_> {
    /// Writes and compares, or only compares; the checksum of what is on the card then.
    ///
    /// # Errors
    /// What went wrong.
    pub fn run(mut self, bar: &mut Bar) -> Result<Checksum, FlashError> {
        let len_bytes = self.image.len_bytes;
        if self.call.options.verify_only {
            return verify_image(&mut self.image.file, len_bytes, &mut self.medium, bar);
        }
        let written = write_image(&mut self.image.file, len_bytes, &mut self.medium, bar)?;
        drop(self.medium);
        println!(
            "{}: {} of {len_bytes} bytes written; the rest was zero already",
            self.target.name(),
            len_bytes - written.skipped_bytes
        );
        if let FlashTarget::BlockDevice(device) = &self.target
            && eject(device, EJECT)
        {
            println!("{} was ejected", device.path());
        }
        Ok(written.sum)
    }
}

/// The number of the card in a target, if its reader reports it.
pub fn card_number(target: &FlashTarget) -> Option<&str> {
    match target {
        FlashTarget::BlockDevice(device) => device.card_number.as_deref(),
        FlashTarget::File(_) => None,
    }
}
