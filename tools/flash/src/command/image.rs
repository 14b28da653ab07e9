//! The image that is to be written: unpacked if it is packed, and inspected.
//!
//! Invariant: an image that is not sound reaches no card, unless `--raw` says so. An unpacked image is sparse. Not
//! here: the inspection (`renga_images::card`).

use crate::FlashError;
use anyhow::{Context, Result, anyhow, bail};
use lzma_rust2::XzReader;
use renga_images::card::{self, CardCluster, CardFinding, Expected};
use renga_images::partition_table::SECTOR_BYTES;
use renga_workspace::environment::Environment;
use renga_workspace::scratch::Scratch;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

/// The beginning of a file that xz made (`xz-file-format.txt`, 2.1.1.1).
const XZ_MAGIC: [u8; 6] = [0xfd, b'7', b'z', b'X', b'Z', 0];
/// No image is unpacked to more: without `--large` no larger card is accepted, and boards' images are far smaller.
const UNPACKED_BYTES_MAX: u64 = crate::LARGE_BYTES;
const PIECE_BYTES: usize = 64 << 10;

/// An image that is open.
pub struct OpenImage {
    /// The image, unpacked.
    pub path: PathBuf,
    /// It, open.
    pub file: File,
    /// Its length.
    pub len_bytes: u64,
}

impl OpenImage {
    /// Opens the image at `path`, and unpacks it first if need be, into `unpacked`.
    ///
    /// # Errors
    /// If it cannot be read or unpacked, or has no whole sectors.
    pub fn open(path: &Path, unpacked: &Path) -> Result<OpenImage, FlashError> {
        let cannot = || format!("cannot read {}", path.display());
        let mut file = File::open(path).with_context(cannot)?;
        let mut magic = Vec::new();
        Read::by_ref(&mut file).take(XZ_MAGIC.len() as u64).read_to_end(&mut magic).with_context(cannot)?;
        file.rewind().with_context(cannot)?;
        let (path, file) = if magic == XZ_MAGIC {
            let file = unpack(file, unpacked).with_context(|| format!("cannot unpack {}", path.display()))?;
            (unpacked.to_path_buf(), file)
        } else {
            (path.to_path_buf(), file)
        };
        let len_bytes = file.metadata().with_context(cannot)?.len();
        if len_bytes == 0 || !len_bytes.is_multiple_of(SECTOR_BYTES) {
            return Err(anyhow!("{} is no card image: its length is not one of whole sectors", path.display()).into());
        }
        Ok(OpenImage { path, file, len_bytes })
    }

    /// Refuses an image that is not a sound card, of `cluster` if one is given.
    ///
    /// # Errors
    /// [`FlashError::Unsound`], or that it cannot be inspected.
    pub fn inspect(
        &self,
        environment: &Environment,
        scratch: &Scratch,
        cluster: Option<&CardCluster>,
    ) -> Result<(), FlashError> {
        let found =
            card::inspect(&self.path, &scratch.folder, |node| Expected::of(environment, node, cluster))?.findings;
        let faults = found.into_iter().filter_map(|finding| match finding {
            CardFinding::Fault(fault) => Some(fault),
            CardFinding::Unchecked(_) => None,
        });
        let faults: Vec<String> = faults.collect();
        if faults.is_empty() { Ok(()) } else { Err(FlashError::Unsound { image: self.path.clone(), faults }) }
    }
}

/// Unpacks `from` into the new file `to`, with holes for zeros.
fn unpack(from: File, to: &Path) -> Result<File> {
    let mut packed = XzReader::new(BufReader::new(from), true);
    let mut out = File::options().read(true).write(true).create(true).truncate(true).open(to)?;
    let mut piece = vec![0; PIECE_BYTES];
    let mut at = 0;
    loop {
        let len = packed.read(&mut piece)?;
        if len == 0 {
            break;
        }
        if at + len as u64 > UNPACKED_BYTES_MAX {
            bail!("it is larger than {UNPACKED_BYTES_MAX} bytes");
        }
        if piece[..len].iter().any(|byte| *byte != 0) {
            out.seek(SeekFrom::Start(at))?;
            out.write_all(&piece[..len])?;
        }
        at += len as u64;
    }
    out.set_len(at)?;
    Ok(out)
}
