//! Options that choose a machine's times.

use clap::Args;
use renga_profile::{Profile, ProfileChoice, ProfileSetting};

/// A profile and what changes of it.
#[derive(Args, Debug, Clone, Default)]
pub struct ProfileArgs {
    /// Machine: pi3, pi4, paper-1989, paper-1989-fair, or a file: how long an instruction takes, the link, the disk's
    /// medium, the kernel's time constants
    #[arg(long, default_value = ProfileChoice::DEFAULT_NAME, value_name = "NAME|FILE.toml")]
    pub profile: ProfileChoice,
    /// Change a parameter of the machine (may be repeated), as in link.rate_mbit_s=8
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<ProfileSetting>,
}

impl ProfileArgs {
    /// The machine.
    pub fn machine(&self) -> Profile {
        self.profile.profile.with(&self.set)
    }
}

/// With which machines rows are run, how much of them.
#[derive(Args, Debug, Clone, Default)]
pub struct BenchProfiles {
    /// Only this machine: pi3, pi4, paper-1989, paper-1989-fair, or a file [default: pi3, and for P1 and what is beyond
    /// the papers also paper-1989]
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub profile: Option<ProfileChoice>,
    /// Change a parameter of the machine (may be repeated), as in link.rate_mbit_s=8; a row that varies the same one
    /// still does
    #[arg(long, value_name = "KEY=VALUE")]
    pub set: Vec<ProfileSetting>,
    /// Run the smallest case of each: for tests
    #[arg(long)]
    pub short: bool,
}
