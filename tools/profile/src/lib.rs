//! Profiles: what a machine is like, as data.
//!
//! A profile is a TOML file, shipped (`profiles`) or the user's own; [`ProfileSetting`]s (`--set KEY=VALUE`) change it.
//! Both go through the one table of [`parameters`].
//!
//! Invariant: a profile changes times only, never what a program computes. Called by: the command line (`tools/cli`),
//! benches, sessions. Not here: the machine that a profile describes (`tools/emu`, `kernel/image`).

#![forbid(unsafe_code)]

mod choice;
mod decimal;
mod file;
mod parameter;
mod profile;
mod setting;

pub use choice::ProfileChoice;
pub use file::{FileError, names, shipped, usual};
pub use parameter::{Domain, ProfileParameter, parameters};
pub use profile::Profile;
pub use setting::{ProfileSetting, SettingError};
