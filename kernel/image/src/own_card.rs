//! The card from which a board without an emulator starts: it has the board's identity, the count of starts, and two
//! kernels.
//!
//! Invariant: the card is driven on the programs' home, one transfer at a time, which leaves the core to others while
//! the card is slow; a kernel that is being tried is kept by an order or gives itself up
//! (docs/decisions/0079-two-kernels.md). Not here: what is where on the card (`renga-boot-card`), the disk's process,
//! whose transfers pass here.

use crate::fault;
use crate::hardware::{self, Hardware, Name, OwnCardDriver};
use crate::once::OnHome;
use core::cell::{Cell, RefCell};
use core::ops::Range;
use renga_arch_aarch64::timer::GenericTimer;
use renga_boot_card::{NODE_BYTES_MAX, NodeFile, read_node_file};
use renga_boot_card::{PARTITIONS, choice_of, chosen, count, other, start_sectors};
use renga_hal::block::{Block, BlockError, Progress, SECTOR_BYTES};
use renga_hal::start_card::{StartCard, StartFacts};

/// A kernel on trial is kept within this time or discarded, ns: boards start, find each other, and a program calls
/// each.
pub const TRIAL_NS: u64 = 60_000_000_000;

/// A user that finds another transfer under way retries after this time, ns.
const TAKEN_NS: u64 = 500_000;

static CARD: OnHome<OwnCard> = OnHome::new();

/// The card, and how the board has started.
struct OwnCard {
    /// `None` while a disk on another core has it.
    card: RefCell<Option<OwnCardDriver>>,
    /// Whose transfer is under way.
    taken: Cell<Option<CardUser>>,
    /// The sector that makes the kernel that runs the usual one, and what it is then; `None` if the card has none.
    choice: Option<(u64, [u8; SECTOR_BYTES])>,
    /// The sectors of the partitions that the board may start from.
    sectors: Range<u64>,
    starts: u32,
    runs: u8,
    usual: Cell<u8>,
    trial_ends_ns: Cell<Option<u64>>,
}

/// The users of the card.
#[derive(Clone, Copy, PartialEq, Eq)]
enum CardUser {
    Disk,
    Programs,
}

/// Starts the card and takes from it what it says of the board; the card's word counts more than the command line's.
pub fn begin(hardware: &mut Hardware) {
    if hardware::emulated() {
        return;
    }
    let mut card = match hardware::start_card(hardware.timer) {
        Ok(card) => card,
        Err(error) => {
            defmt::warn!(
                "the card does not start ({}): the board is who its command line says",
                defmt::Debug2Format(&error)
            );
            return;
        }
    };
    identify(&mut card, hardware);
    match count(&mut card, hardware.epoch_s) {
        Ok(count) => {
            hardware.starts = Some(count.starts);
            hardware.epoch_s = count.time_s;
        }
        Err(why) => defmt::warn!("starts are not counted: {}", defmt::Display2Format(&why)),
    }
    let usual = chosen(&mut card).unwrap_or(PARTITIONS[0]);
    let runs = if hardware.named_partition == 0 { usual } else { hardware.named_partition };
    let trial = runs != usual;
    defmt::info!(
        "start {=u32} from partition {=u8}, {=str}",
        hardware.starts.unwrap_or(0),
        runs,
        if trial { "to be tried" } else { "the usual one" }
    );
    CARD.set(OwnCard {
        sectors: start_sectors(&mut card).unwrap_or(0..0),
        choice: choice_of(&mut card, runs).ok(),
        taken: Cell::new(None),
        card: RefCell::new(Some(card)),
        starts: hardware.starts.unwrap_or(0),
        runs,
        usual: Cell::new(usual),
        trial_ends_ns: Cell::new(trial.then(|| hardware::now_ns() + TRIAL_NS)),
    });
}

/// The board's identity. A damaged file is worse than none: a board with another's number breaks the cluster.
fn identify(card: &mut OwnCardDriver, hardware: &mut Hardware) {
    let mut bytes = [0; NODE_BYTES_MAX];
    let text = match read_node_file(card, &mut bytes) {
        Ok(text) => text,
        Err(why) => {
            defmt::warn!("{}: the board is who its command line says", defmt::Display2Format(&why));
            return;
        }
    };
    match NodeFile::parse(text) {
        Ok(node) => {
            hardware.board = node.board;
            hardware.board_name = Name::of(node.name);
            hardware.link = Name::of(node.link.name());
        }
        Err(why) => fault::refuse(format_args!("NODE.TXT on the card: {why}")),
    }
}

/// The card, for exclusive use, if boot has started one.
pub fn take() -> Option<OwnCardDriver> {
    CARD.get()?.card.borrow_mut().take()
}

/// The card for programs.
pub fn for_programs() -> &'static dyn StartCard {
    &ForPrograms
}

/// Gives the kernel up if it is being tried and its time is over.
pub fn end_trial(now_ns: u64) {
    let ends_ns = CARD.get().and_then(|card| card.trial_ends_ns.get());
    if ends_ns.is_some_and(|ends_ns| now_ns >= ends_ns) {
        fault::give_up(format_args!("no board confirmed the trial kernel: back to the usual one"));
    }
}

/// When the trial ends, ns, if there is one.
pub fn trial_ends_ns() -> Option<u64> {
    CARD.get()?.trial_ends_ns.get()
}

impl OwnCard {
    /// Continues the transfer of `user`, unless another user's is under way.
    fn go_on(
        &self,
        user: CardUser,
        work: impl FnOnce(&mut OwnCardDriver) -> Result<Progress, BlockError>,
    ) -> Result<Progress, BlockError> {
        if self.taken.get().is_some_and(|taken| taken != user) {
            return Ok(Progress::Later(TAKEN_NS));
        }
        let progress = work(self.card.borrow_mut().as_mut().ok_or(BlockError::NoMedium)?);
        self.taken.set(matches!(progress, Ok(Progress::Later(_))).then_some(user));
        progress
    }

    fn check(&self, sectors: &Range<u64>, sector: u64, len_bytes: usize) -> Result<(), BlockError> {
        let end = sector.saturating_add((len_bytes / SECTOR_BYTES) as u64);
        if sectors.start <= sector && end <= sectors.end { Ok(()) } else { Err(BlockError::OutOfRange) }
    }
}

/// The way to the card for programs, from their home.
struct ForPrograms;

impl StartCard for ForPrograms {
    fn facts(&self) -> Option<StartFacts> {
        let own = CARD.get()?;
        let (usual, trial_ends_ns) = (own.usual.get(), own.trial_ends_ns.get());
        Some(StartFacts { starts: own.starts, runs: own.runs, usual, trial_ends_ns })
    }
    fn read(&self, sector: u64, out: &mut [u8]) -> Result<Progress, BlockError> {
        let own = CARD.get().ok_or(BlockError::NoMedium)?;
        own.check(&(0..own.sectors.end), sector, out.len())?;
        own.go_on(CardUser::Programs, |card| card.read_on(sector, out))
    }
    fn write(&self, sector: u64, data: &[u8]) -> Result<Progress, BlockError> {
        let own = CARD.get().ok_or(BlockError::NoMedium)?;
        own.check(&own.sectors, sector, data.len())?;
        own.go_on(CardUser::Programs, |card| card.write_on(sector, data))
    }
    fn keep(&self) -> Result<Progress, BlockError> {
        let own = CARD.get().ok_or(BlockError::NoMedium)?;
        if own.usual.get() == own.runs {
            return Ok(Progress::Done);
        }
        let (at, sector) = own.choice.as_ref().ok_or(BlockError::Failed)?;
        let progress = own.go_on(CardUser::Programs, |card| card.write_on(*at, sector))?;
        if progress == Progress::Done {
            own.usual.set(own.runs);
            own.trial_ends_ns.set(None);
        }
        Ok(progress)
    }
    fn try_other(&self) -> Result<(), BlockError> {
        let own = CARD.get().ok_or(BlockError::NoMedium)?;
        fault::start_from(other(own.usual.get()))
    }
}

/// The card as the disk's process has it: its own, or a way to the one of the board.
pub enum DiskCard {
    /// Owned by one user.
    Own(OwnCardDriver),
    /// The one from which the board has started.
    Shared,
}

impl DiskCard {
    /// The card for a disk that is on the programs' home, or is not.
    ///
    /// # Errors
    /// What the card or its host answered.
    pub fn start(timer: GenericTimer, on_home: bool) -> Result<DiskCard, BlockError> {
        match CARD.get() {
            None => Ok(DiskCard::Own(hardware::start_card(timer)?)),
            // Programs have no way to it then: such a board is not updated.
            Some(_) if !on_home => Ok(DiskCard::Own(take().ok_or(BlockError::NoMedium)?)),
            Some(_) => Ok(DiskCard::Shared),
        }
    }

    /// The card during boot, which is its only user before the processes run.
    fn at_boot<T>(&mut self, work: impl FnOnce(&mut OwnCardDriver) -> Result<T, BlockError>) -> Result<T, BlockError> {
        match self {
            DiskCard::Own(card) => work(card),
            DiskCard::Shared => {
                let own = CARD.get().ok_or(BlockError::NoMedium)?;
                work(own.card.borrow_mut().as_mut().ok_or(BlockError::NoMedium)?)
            }
        }
    }

    fn go_on(
        &mut self,
        work: impl FnOnce(&mut OwnCardDriver) -> Result<Progress, BlockError>,
    ) -> Result<Progress, BlockError> {
        match self {
            DiskCard::Own(card) => work(card),
            DiskCard::Shared => CARD.get().ok_or(BlockError::NoMedium)?.go_on(CardUser::Disk, work),
        }
    }
}

impl Block for DiskCard {
    fn blocks(&self) -> u64 {
        match self {
            DiskCard::Own(card) => card.blocks(),
            DiskCard::Shared => CARD.get().and_then(|own| own.card.borrow().as_ref().map(Block::blocks)).unwrap_or(0),
        }
    }
    fn read(&mut self, sector: u64, out: &mut [u8]) -> Result<(), BlockError> {
        self.at_boot(|card| card.read(sector, out))
    }
    fn write(&mut self, sector: u64, data: &[u8]) -> Result<(), BlockError> {
        self.at_boot(|card| card.write(sector, data))
    }
    fn read_on(&mut self, sector: u64, out: &mut [u8]) -> Result<Progress, BlockError> {
        self.go_on(|card| card.read_on(sector, out))
    }
    fn write_on(&mut self, sector: u64, data: &[u8]) -> Result<Progress, BlockError> {
        self.go_on(|card| card.write_on(sector, data))
    }
}
