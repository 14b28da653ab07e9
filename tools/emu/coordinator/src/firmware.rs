//! The firmware's part in a board's start: what it loads, from which partition of the card.
//!
//! Invariant: it is called at each start, with the card's content at that instant. Not here: the format of a card (the
//! implementer of [`FirmwareLoader`]).

use crate::config::BoardConfig;
use crate::error::EmuError;
use std::fmt;
use std::path::PathBuf;
use std::sync::Arc;

/// What it loads.
#[derive(Clone, Debug, Default)]
pub struct Loaded {
    /// The raw image.
    pub image: PathBuf,
    /// A file beside it.
    pub initrd: PathBuf,
    /// The device tree.
    pub dtb: PathBuf,
    /// The command line.
    pub append: String,
}

type Load = dyn Fn(u8) -> Result<Loaded, String> + Send + Sync;

/// Loads from the partition that a reset named, or from the usual one if that is 0.
#[derive(Clone)]
pub struct FirmwareLoader(Arc<Load>);

impl FirmwareLoader {
    /// One that loads like this; its errors are sentences.
    pub fn new(load: impl Fn(u8) -> Result<Loaded, String> + Send + Sync + 'static) -> Self {
        Self(Arc::new(load))
    }
}

impl fmt::Debug for FirmwareLoader {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.write_str("Firmware")
    }
}

impl BoardConfig {
    /// The board as its firmware starts it from `partition`.
    pub(crate) fn loaded(&self, number: u8, partition: u8) -> Result<BoardConfig, EmuError> {
        let Some(firmware) = &self.firmware else { return Ok(self.clone()) };
        let loaded = (firmware.0)(partition).map_err(|why| EmuError::Firmware { board: number, why })?;
        Ok(BoardConfig {
            image: loaded.image,
            initrd: Some(loaded.initrd),
            dtb: Some(loaded.dtb),
            append: format!("{}{}", loaded.append, self.append),
            ..self.clone()
        })
    }
}
