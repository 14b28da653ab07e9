//! Files and devices of this host as media.

use super::device::BlockDevice;
use super::error::FlashError;
use super::host::Host;
use super::medium::FlashMedium;
use super::refusal::refusals;
use super::target::{FlashTarget, FoundFile, OrdinaryFile};
use anyhow::Context;
use rustix::fs::OFlags;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::{FileExt, FileTypeExt, MetadataExt, OpenOptionsExt};

/// An open file or device.
pub struct HostMedium {
    file: File,
    /// The device as it was confirmed, and where to check that it is still present.
    device: Option<(Host, BlockDevice)>,
}

/// Opens a target for an image of `image_bytes`. A device is opened exclusively, so that no other program can mount or
/// open it, and read again: it must be the confirmed one, and still have no reason against it.
///
/// # Errors
/// If it cannot be opened, is in use, or is another one now.
pub fn open_for_writing(
    host: &Host,
    target: &FlashTarget,
    image_bytes: u64,
    large: bool,
) -> Result<HostMedium, FlashError> {
    let device = match target {
        FlashTarget::BlockDevice(device) => device,
        FlashTarget::File(file) => return make_file(file, image_bytes),
    };
    let medium = open_device(host, device, true)?;
    let now = host.device(&device.name).filter(|now| device.is_same(now)).ok_or(FlashError::Pulled)?;
    let reasons = refusals(&now, image_bytes, large);
    if !reasons.is_empty() {
        return Err(FlashError::Refused { target: device.path(), reasons });
    }
    Ok(medium)
}

/// Opens a target to be read.
///
/// # Errors
/// If it cannot be opened, or is another one now.
pub fn open_for_reading(host: &Host, target: &FlashTarget) -> Result<HostMedium, FlashError> {
    match target {
        FlashTarget::BlockDevice(device) => open_device(host, device, false),
        FlashTarget::File(OrdinaryFile { path, .. }) => {
            let file = File::open(path).with_context(|| format!("cannot open {}", path.display()))?;
            Ok(HostMedium { file, device: None })
        }
    }
}

/// Makes a file of `len_bytes` zeros, or empties the one that was confirmed and no other.
fn make_file(file: &OrdinaryFile, len_bytes: u64) -> Result<HostMedium, FlashError> {
    let cannot = || format!("cannot write {}", file.path.display());
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(file.found.is_none());
    let open = options.open(&file.path).with_context(cannot)?;
    let now = FoundFile::of(&open.metadata().with_context(cannot)?);
    if file.found.is_some_and(|found| found != now) {
        return Err(FlashError::NotConfirmed(format!("{} was changed meanwhile", file.path.display())));
    }
    open.set_len(0).and_then(|()| open.set_len(len_bytes)).with_context(cannot)?;
    Ok(HostMedium { file: open, device: None })
}

fn open_device(host: &Host, device: &BlockDevice, write: bool) -> Result<HostMedium, FlashError> {
    let exclusive = if write { OFlags::EXCL } else { OFlags::empty() };
    let mut options = OpenOptions::new();
    options.read(true).write(write).custom_flags((OFlags::DIRECT | exclusive).bits() as i32);
    let file = options.open(device.path());
    let file = file.map_err(|cause| FlashError::Open { target: device.path(), cause })?;
    let facts = file.metadata().context("an open device has no facts")?;
    let number = format!("{}:{}", rustix::fs::major(facts.rdev()), rustix::fs::minor(facts.rdev()));
    if !facts.file_type().is_block_device() || number != device.number {
        return Err(FlashError::Pulled);
    }
    Ok(HostMedium { file, device: Some((host.clone(), device.clone())) })
}

impl FlashMedium for HostMedium {
    fn write_at(&mut self, at: u64, bytes: &[u8]) -> io::Result<usize> {
        self.file.write_at(bytes, at)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.sync_all()
    }

    fn read_at(&mut self, at: u64, out: &mut [u8]) -> io::Result<usize> {
        self.file.read_at(out, at)
    }

    fn is_same(&mut self) -> bool {
        let Some((host, device)) = &self.device else { return true };
        host.identity(&device.name).is_some_and(|now| device.is_same(&now))
    }
}
