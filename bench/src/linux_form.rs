//! What a board of Linux has, as data.
//!
//! Not here: running it.

/// What the board of Linux has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinuxForm {
    /// Cores for programs; they run side by side.
    pub cores: u8,
    /// The memory that Linux uses, if not all, MiB.
    pub memory_mib: Option<u16>,
    /// A disk without content beside the card, each of whose requests takes so long, ns.
    pub null_disk_ns: Option<u32>,
    /// How long requests of the card take; without this, no time.
    pub card: Option<CardTimes>,
}

/// How long a request of a card takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CardTimes {
    /// Of each request, us.
    pub request_us: u32,
    /// Bytes of all requests, MB/s.
    pub rate_mb_s: u32,
}

impl LinuxForm {
    /// What a person calls it.
    pub fn label(self) -> String {
        let mut label = "Linux".to_string();
        if self.null_disk_ns.is_some() {
            label += &format!(", {} cores", self.cores);
        }
        if let Some(mib) = self.memory_mib {
            label += &format!(", {mib} MiB");
        }
        if let Some(CardTimes { request_us, rate_mb_s }) = self.card {
            label += &format!(", card of {request_us} us, {rate_mb_s} MB/s");
        }
        label
    }

    /// One core, all of the memory, a card that answers at once.
    pub const PLAIN: LinuxForm = LinuxForm { cores: 1, memory_mib: None, null_disk_ns: None, card: None };
}
