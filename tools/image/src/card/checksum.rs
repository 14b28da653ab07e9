//! SHA-256, as text.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::fmt;
use std::fs::File;
use std::io::Read;
use std::path::Path;

const CHUNK_BYTES: usize = 1 << 20;

/// A SHA-256 sum.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checksum([u8; 32]);

impl fmt::Display for Checksum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl Checksum {
    /// The sum of what `hasher` was given.
    pub fn of(hasher: Sha256) -> Checksum {
        Checksum(hasher.finalize().into())
    }

    /// Its first characters: enough for a person to compare.
    pub fn short(&self) -> String {
        self.to_string()[..12].to_string()
    }
}

/// The sum of `bytes`.
pub fn sha256(bytes: &[u8]) -> Checksum {
    Checksum(Sha256::digest(bytes).into())
}

/// The sum of a file's bytes.
///
/// # Errors
/// If it cannot be read.
pub fn sha256_of_file(path: &Path) -> Result<Checksum> {
    let read = || -> std::io::Result<Checksum> {
        let mut hasher = Sha256::new();
        let mut file = File::open(path)?;
        let mut chunk = vec![0; CHUNK_BYTES];
        loop {
            match file.read(&mut chunk)? {
                0 => return Ok(Checksum::of(hasher)),
                count => hasher.update(&chunk[..count]),
            }
        }
    };
    read().with_context(|| format!("cannot read {}", path.display()))
}
