//! Writing an image, and comparing.
//!
//! Invariant: the medium has a master boot record only when all else is on it: the old one is wiped first, the new one
//! written last, each time after a flush, and wiped again if the card differs. So a card that was pulled half-way
//! starts nothing, and is seen to be unfinished. Another medium than the confirmed one is not written. Zeros of the
//! image are written only where the medium is not zero already, which is read from it.

use super::error::FlashError;
use super::medium::FlashMedium;
use super::zero_runs::{is_zero, zero_runs};
use anyhow::Context;
use renga_images::card::Checksum;
use renga_images::partition_table::{self, TYPE_LINUX};
use sha2::{Digest, Sha256};
use std::io::{Read, Seek};

/// Bytes moved at once.
pub const CHUNK_BYTES: usize = 4 << 20;
/// Bytes at the front that are written last: the master boot record, and what shares its block.
const FRONT_BYTES: usize = 4096;
/// Buffers for transfers that bypass the host's caches begin at multiples of this.
const ALIGN_BYTES: usize = 4096;

/// What is being done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Phase {
    /// Writing.
    Write,
    /// Reading back.
    Verify,
}

/// The observer of the copy.
pub trait CopyObserver {
    /// So much of the whole is done.
    fn progress(&mut self, phase: Phase, done_bytes: u64, all_bytes: u64);
}

/// What was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct WrittenImage {
    /// The image's checksum, which is that of what was read back.
    pub sum: Checksum,
    /// Bytes of the image that were not written, because both it and the medium were zero there.
    pub skipped_bytes: u64,
}

/// Writes `image` and reads it back.
///
/// # Errors
/// What went wrong; the card is then not to be used.
pub fn write_image<I: Read + Seek>(
    image: &mut I,
    len_bytes: u64,
    medium: &mut dyn FlashMedium,
    watch: &mut dyn CopyObserver,
) -> Result<WrittenImage, FlashError> {
    let (mut buffer, mut old) = (CopyBuffer::new(), CopyBuffer::new());
    let mut hasher = Sha256::new();
    let mut front = Vec::new();
    let front_len = len_bytes.min(FRONT_BYTES as u64) as usize;
    // Since it was confirmed, other cards may have been put in.
    require_same(medium)?;
    wipe(medium, &mut buffer, front_len)?;
    image.rewind().context("cannot read the image")?;
    let (mut at, mut skipped_bytes) = (0, 0);
    while at < len_bytes {
        let part = buffer.read_from(image, len_bytes - at)?;
        hasher.update(part);
        let later = if at == 0 { front_len.min(part.len()) } else { 0 };
        front.extend_from_slice(&part[..later]);
        let len = part.len();
        require_same(medium)?;
        skipped_bytes += write_part(medium, at + later as u64, &part[later..], &mut old)?;
        at += len as u64;
        watch.progress(Phase::Write, at, len_bytes);
    }
    flush(medium, at)?;
    // A card that was put in meanwhile must not become one that starts.
    require_same(medium)?;
    buffer.fill(&front);
    let sum = Checksum::of(hasher);
    let ended = write_all(medium, 0, buffer.filled(front_len))
        .and_then(|()| flush(medium, 0))
        .and_then(|()| verify_image(image, len_bytes, medium, watch))
        .and_then(|found| if found == sum { Ok(()) } else { Err(image_changed()) });
    match ended {
        Ok(()) => Ok(WrittenImage { sum, skipped_bytes }),
        Err(error) => Err(wipe_after(error, medium, &mut buffer, front_len)),
    }
}

fn image_changed() -> FlashError {
    FlashError::Differs { at: 0, place: "the image changed".into() }
}

fn require_same(medium: &mut dyn FlashMedium) -> Result<(), FlashError> {
    if medium.is_same() { Ok(()) } else { Err(FlashError::Pulled) }
}

/// Makes sure that the medium has no boot record.
fn wipe(medium: &mut dyn FlashMedium, buffer: &mut CopyBuffer, front_len: usize) -> Result<(), FlashError> {
    buffer.zeros(front_len);
    write_all(medium, 0, buffer.filled(front_len))?;
    flush(medium, 0)
}

/// Wipes the boot record of a card that failed once it had one; what to say of it.
fn wipe_after(
    error: FlashError,
    medium: &mut dyn FlashMedium,
    buffer: &mut CopyBuffer,
    front_len: usize,
) -> FlashError {
    match require_same(medium).and_then(|()| wipe(medium, buffer, front_len)) {
        Err(FlashError::Pulled) => FlashError::Pulled,
        // That the card failed first tells more than that it cannot be wiped.
        Ok(()) | Err(_) => error,
    }
}

/// Writes `part` at `from`, except zeros where the medium is zero; how many bytes were left out. `old` is room for what
/// the medium has.
fn write_part(medium: &mut dyn FlashMedium, from: u64, part: &[u8], old: &mut CopyBuffer) -> Result<u64, FlashError> {
    let mut skipped_bytes = 0;
    for run in zero_runs(part) {
        let (at, bytes) = (from + run.bytes.start as u64, &part[run.bytes]);
        if run.is_zero {
            let old = old.filled(bytes.len());
            // What cannot be read is not known to be zero, and may be mended by a write.
            match read_all(medium, at, old) {
                Ok(()) if is_zero(old) => {
                    skipped_bytes += bytes.len() as u64;
                    continue;
                }
                Err(FlashError::Pulled) => return Err(FlashError::Pulled),
                Ok(()) | Err(_) => {}
            }
        }
        write_all(medium, at, bytes)?;
    }
    Ok(skipped_bytes)
}

/// Reads as much of the medium as the image has and compares; the checksum of what was read.
///
/// # Errors
/// [`FlashError::Differs`], or what went wrong.
pub fn verify_image<I: Read + Seek>(
    image: &mut I,
    len_bytes: u64,
    medium: &mut dyn FlashMedium,
    watch: &mut dyn CopyObserver,
) -> Result<Checksum, FlashError> {
    let (mut wanted, mut found) = (CopyBuffer::new(), CopyBuffer::new());
    let mut hasher = Sha256::new();
    image.rewind().context("cannot read the image")?;
    let mut places = Vec::new();
    let mut at = 0;
    while at < len_bytes {
        let part = wanted.read_from(image, len_bytes - at)?;
        if at == 0
            && let Ok(sector) = part[..part.len().min(512)].try_into()
        {
            places = partition_table::read(sector).unwrap_or_default();
        }
        let read = found.filled(part.len());
        read_all(medium, at, read)?;
        hasher.update(&*read);
        if let Some(offset) = part.iter().zip(&*read).position(|(wanted, found)| wanted != found) {
            let at = at + offset as u64;
            return Err(FlashError::Differs { at, place: place(&places, at) });
        }
        at += part.len() as u64;
        watch.progress(Phase::Verify, at, len_bytes);
    }
    if !medium.is_same() {
        return Err(FlashError::Pulled);
    }
    Ok(Checksum::of(hasher))
}

/// In which partition a byte of the card lies.
fn place(partitions: &[partition_table::PartitionEntry], at: u64) -> String {
    let inside = |extent: &partition_table::PartitionExtent| (extent.start_bytes..extent.end_bytes()).contains(&at);
    let Some(number) = partitions.iter().position(|partition| inside(&partition.extent)) else {
        return "outside of partitions".to_string();
    };
    let what = match partitions[number].kind {
        TYPE_LINUX => "the disk",
        _ => "from which the board starts",
    };
    format!("partition {}, {what}; if its board has run, it wrote there", number + 1)
}

fn write_all(medium: &mut dyn FlashMedium, at: u64, bytes: &[u8]) -> Result<(), FlashError> {
    let mut done = 0;
    while done < bytes.len() {
        let place = at + done as u64;
        match medium.write_at(place, &bytes[done..]) {
            Ok(0) => return Err(FlashError::Full { at: place }),
            Ok(count) => done += count,
            Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(or_pulled(medium, FlashError::of_write(place, cause))),
        }
    }
    Ok(())
}

fn read_all(medium: &mut dyn FlashMedium, at: u64, out: &mut [u8]) -> Result<(), FlashError> {
    let mut done = 0;
    while done < out.len() {
        let place = at + done as u64;
        match medium.read_at(place, &mut out[done..]) {
            Ok(0) => {
                let end = FlashError::Read { at: place, cause: std::io::ErrorKind::UnexpectedEof.into() };
                return Err(or_pulled(medium, end));
            }
            Ok(count) => done += count,
            Err(cause) if cause.kind() == std::io::ErrorKind::Interrupted => {}
            Err(cause) => return Err(or_pulled(medium, FlashError::of_read(place, cause))),
        }
    }
    Ok(())
}

fn flush(medium: &mut dyn FlashMedium, at: u64) -> Result<(), FlashError> {
    medium.flush().map_err(|cause| or_pulled(medium, FlashError::of_write(at, cause)))
}

/// A card that is gone fails in many ways; that it is gone is what the person needs to know.
fn or_pulled(medium: &mut dyn FlashMedium, error: FlashError) -> FlashError {
    if medium.is_same() { error } else { FlashError::Pulled }
}

/// Room for a chunk, at an address that transfers past the host's caches accept.
struct CopyBuffer {
    bytes: Vec<u8>,
    start: usize,
}

impl CopyBuffer {
    fn new() -> CopyBuffer {
        let bytes = vec![0; CHUNK_BYTES + ALIGN_BYTES];
        let start = bytes.as_ptr().align_offset(ALIGN_BYTES).min(ALIGN_BYTES);
        CopyBuffer { bytes, start }
    }

    fn filled(&mut self, len: usize) -> &mut [u8] {
        &mut self.bytes[self.start..self.start + len]
    }

    fn zeros(&mut self, len: usize) {
        self.filled(len).fill(0);
    }

    fn fill(&mut self, from: &[u8]) {
        self.filled(from.len()).copy_from_slice(from);
    }

    fn read_from<I: Read>(&mut self, image: &mut I, left_bytes: u64) -> Result<&[u8], FlashError> {
        let len = left_bytes.min(CHUNK_BYTES as u64) as usize;
        let part = self.filled(len);
        image.read_exact(part).context("cannot read the image")?;
        Ok(part)
    }
}
