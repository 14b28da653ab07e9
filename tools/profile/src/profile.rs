//! The parameters of a machine.
//!
//! Not here: their names, units and ranges (`parameter.rs`).

use renga_abi::OsTimes;
use renga_boot_card::LinkMode;

/// A machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Profile {
    /// How long an instruction takes, ns: a power of two.
    pub instruction_ns: u64,
    /// Bits a second on the link.
    pub link_rate_bps: u64,
    /// How long all boards get ready before a frame, ns.
    pub link_arm_ns: u64,
    /// From one board to the next the token takes so long, ns; 0: as long as a word of 16 bits.
    pub link_token_pass_ns: u64,
    /// The link's waits (`renga_router::LinkTiming`).
    pub link_timing: &'static str,
    /// The model of the disk's medium (`renga_fs::Medium`).
    pub medium: &'static str,
    /// The times of the operating system.
    pub os: OsTimes,
    /// The link is the bus on the boards' pins, wired so.
    pub pins: Option<LinkMode>,
    /// By how much cores of a board may be apart, as a slice of the emulator's, if it is not its own choice, ns.
    pub core_slice_ns: Option<u64>,
}

impl Profile {
    /// Nothing is known of the machine yet.
    pub(crate) const UNSET: Profile = Profile {
        instruction_ns: 0,
        link_rate_bps: 0,
        link_arm_ns: 0,
        link_token_pass_ns: 0,
        link_timing: "",
        medium: "",
        os: OsTimes::DEFAULT,
        pins: None,
        core_slice_ns: None,
    };

    /// The same over a link of another rate; boards wait for a slower one as long as the slowest known needs that is as
    /// slow.
    #[must_use]
    pub fn with_link_rate(self, link_rate_bps: u64) -> Profile {
        let link_timing = match link_rate_bps {
            _ if link_rate_bps >= self.link_rate_bps => self.link_timing,
            // On the pins of emulated boards a full frame takes two milliseconds.
            4_000_000.. => "pins",
            _ => "paper-1989",
        };
        Profile { link_rate_bps, link_timing, ..self }
    }

    /// The same with the link on the boards' pins: the emulator connects pin to pin, and all else is the boards' work.
    #[must_use]
    pub fn with_pins(self, wired: LinkMode) -> Profile {
        Profile { pins: Some(wired), link_timing: "pins", ..self }
    }
}
