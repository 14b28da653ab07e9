//! An SD card in the board's slot: identification, then sectors.
//!
//! SD Physical Layer Simplified Specification 3.01, sections 4.2 (identification) and 4.3 (transfer).
//! The card stays at 3.3 V and default speed (25 MHz, four lines).
//!
//! Not here: transfers (`sd_transfer`), the pins (`gpio::Pins::route_card`, before this), card changes.

use crate::sd_host::{IDENTIFICATION_CLOCK_HZ, SdCommand, SdHost};
use crate::sd_transfer::{Data, Transfer};
use renga_hal::block::{Block, BlockError, Progress, SECTOR_BYTES};
use renga_hal::registers::Registers;
use renga_hal::timer::HardwareTimer;

const GO_IDLE: SdCommand = SdCommand::silent(0);
const ALL_SEND_IDENTITY: SdCommand = SdCommand::long(2);
const SEND_ADDRESS: SdCommand = SdCommand::short(3);
const SELECT: SdCommand = SdCommand::busy(7);
const SEND_INTERFACE: SdCommand = SdCommand::short(8);
const SEND_SPECIFICS: SdCommand = SdCommand::long(9);
const SET_BLOCK_LENGTH: SdCommand = SdCommand::short(16);
const APPLICATION: SdCommand = SdCommand::short(55);
/// After [`APPLICATION`].
const APPLICATION_BUS_WIDTH: SdCommand = SdCommand::short(6);
/// After [`APPLICATION`].
const APPLICATION_CONDITIONS: SdCommand = SdCommand::unchecked(41);

/// 3.3 V, and a pattern to be echoed.
const INTERFACE_CHECK: u32 = 0x1aa;
/// We take large cards; 3.2 to 3.4 V.
const CONDITIONS: u32 = 1 << 30 | 3 << 20;
const CONDITIONS_READY: u32 = 1 << 31;
const CONDITIONS_LARGE: u32 = 1 << 30;
const BUS_WIDTH_FOUR: u32 = 2;

const TRANSFER_CLOCK_HZ: u32 = 25_000_000;
/// A card may take one second to start (4.2.3); some take longer.
const START_TIMEOUT_NS: u64 = 2_000_000_000;
/// Between two questions whether it has started.
const START_PAUSE_NS: u64 = 1_000_000;

/// Attempts to start a card, since cards differ.
const STARTS_MAX: u32 = 3;

/// A card, ready for transfers.
pub struct SdCard<R, T> {
    pub(crate) host: SdHost<R, T>,
    blocks: u64,
    /// Large cards count sectors, small ones bytes.
    large: bool,
    pub(crate) address: u32,
    /// The transfer under way.
    pub(crate) transfer: Option<Transfer>,
}

impl<R: Registers, T: HardwareTimer> SdCard<R, T> {
    /// Starts the card in the slot whose host has `registers` and a clock of `host_hz`.
    pub fn start(registers: R, timer: T, host_hz: u32) -> Result<Self, BlockError> {
        let mut host = SdHost::new(registers, timer, host_hz)?;
        let mut begun = Self::identify(&mut host);
        for _ in 1..STARTS_MAX {
            if begun.is_ok() {
                break;
            }
            host.restart()?;
            begun = Self::identify(&mut host);
        }
        let (blocks, large, address) = begun?;
        host.fence();
        Ok(Self { host, blocks, large, address, transfer: None })
    }

    /// Blocks, whether it counts sectors, address.
    fn identify(host: &mut SdHost<R, T>) -> Result<(u64, bool, u32), BlockError> {
        host.set_clock(IDENTIFICATION_CLOCK_HZ)?;
        host.command(GO_IDLE, 0)?;
        // A card that does not know this command is of version 1, and small.
        let second_version = match host.command(SEND_INTERFACE, INTERFACE_CHECK) {
            Ok(echo) if echo & 0xfff == INTERFACE_CHECK => true,
            Ok(_) => return Err(BlockError::NoMedium),
            Err(_) => {
                host.reset_lines()?;
                false
            }
        };
        let conditions = wait_until_started(host, second_version)?;
        host.command(ALL_SEND_IDENTITY, 0)?;
        let address = host.command(SEND_ADDRESS, 0)? & 0xffff_0000;
        host.command(SEND_SPECIFICS, address)?;
        let blocks = capacity_sectors(host.long_response());
        host.set_clock(TRANSFER_CLOCK_HZ)?;
        host.command(SELECT, address)?;
        host.command(SET_BLOCK_LENGTH, SECTOR_BYTES as u32)?;
        host.command(APPLICATION, address)?;
        host.command(APPLICATION_BUS_WIDTH, BUS_WIDTH_FOUR)?;
        host.use_four_lines();
        Ok((blocks, conditions & CONDITIONS_LARGE != 0, address))
    }

    /// How the card counts sectors.
    pub(crate) fn position(&self, sector: u64) -> u32 {
        (if self.large { sector } else { sector * SECTOR_BYTES as u64 }) as u32
    }
}

/// Polls until the card has started; returns its operating conditions.
fn wait_until_started<R: Registers, T: HardwareTimer>(
    host: &mut SdHost<R, T>,
    second_version: bool,
) -> Result<u32, BlockError> {
    let wanted = if second_version { CONDITIONS } else { CONDITIONS & !CONDITIONS_LARGE };
    let end_ns = host.now_ns() + START_TIMEOUT_NS;
    while host.now_ns() < end_ns {
        host.command(APPLICATION, 0).map_err(|_| BlockError::NoMedium)?;
        let conditions = host.command(APPLICATION_CONDITIONS, wanted)?;
        if conditions & CONDITIONS_READY != 0 {
            return Ok(conditions);
        }
        host.pause(START_PAUSE_NS);
    }
    Err(BlockError::NoMedium)
}

/// Size of the card from its specific data (5.3), of which the host cuts the lowest 8 bits.
fn capacity_sectors(response: [u32; 4]) -> u64 {
    let field = |low: u32, width: u32| {
        let low = low - 8;
        let pair = |word: usize| u64::from(*response.get(word).unwrap_or(&0));
        let word = (low / 32) as usize;
        (pair(word) | pair(word + 1) << 32) >> (low % 32) & ((1 << width) - 1)
    };
    match field(126, 2) {
        // Version 2: units of 512 KiB.
        1 => (field(48, 22) + 1) << 10,
        // Version 1: mantissa, multiplier and length of a block.
        _ => (field(62, 12) + 1) << (field(47, 3) + 2) << field(80, 4) >> 9,
    }
}

impl<R: Registers, T: HardwareTimer> Block for SdCard<R, T> {
    fn blocks(&self) -> u64 {
        self.blocks
    }

    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        loop {
            match self.read_on(sector, out)? {
                Progress::Done => return Ok(()),
                Progress::Later(wait_ns) => self.host.pause(wait_ns),
            }
        }
    }

    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        loop {
            match self.write_on(sector, data)? {
                Progress::Done => return Ok(()),
                Progress::Later(wait_ns) => self.host.pause(wait_ns),
            }
        }
    }

    fn read_on(&mut self, sector: u64, out: &mut [u8]) -> Result<Progress, BlockError> {
        self.go_on(sector, &mut Data::Read(out))
    }

    fn write_on(&mut self, sector: u64, data: &[u8]) -> Result<Progress, BlockError> {
        self.go_on(sector, &mut Data::Write(data))
    }
}
