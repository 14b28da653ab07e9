//! Writing an image, and comparing.
//!
//! Invariant: the medium has a master boot record only when all else is on it: the old one is wiped first, the new one
//! written last, each time after a flush. So a card that was pulled half-way starts nothing, and is seen to be
//! unfinished.

use super::error::FlashError;
use super::medium::FlashMedium;
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

/// Writes `image` and reads it back; its checksum.
///
/// # Errors
/// What went wrong; the card is then not to be used.
pub fn write_image<I: Read + Seek>(
    image: &mut I,
    len_bytes: u64,
    medium: &mut dyn FlashMedium,
    watch: &mut dyn CopyObserver,
) -> Result<Checksum, FlashError> {
    let mut buffer = CopyBuffer::new();
    let mut hasher = Sha256::new();
    let mut front = Vec::new();
    buffer.zeros(FRONT_BYTES);
    write_all(medium, 0, buffer.filled(FRONT_BYTES))?;
    flush(medium, 0)?;
    image.rewind().context("cannot read the image")?;
    let mut at = 0;
    while at < len_bytes {
        let part = buffer.read_from(image, len_bytes - at)?;
        hasher.update(part);
        let skipped = if at == 0 { FRONT_BYTES.min(part.len()) } else { 0 };
        if at == 0 {
            front = part[..skipped].to_vec();
        }
        let (from, len) = (at + skipped as u64, part.len());
        write_all(medium, from, &part[skipped..])?;
        at += len as u64;
        watch.progress(Phase::Write, at, len_bytes);
    }
    flush(medium, at)?;
    let front_len = front.len();
    buffer.fill(&front);
    write_all(medium, 0, buffer.filled(front_len))?;
    flush(medium, 0)?;
    let written = Checksum::of(hasher);
    let found = verify_image(image, len_bytes, medium, watch)?;
    if found == written { Ok(written) } else { Err(FlashError::Differs { at: 0, place: "the image changed".into() }) }
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
