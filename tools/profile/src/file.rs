//! Profile files: shipped ones by name, others by path.
//!
//! A file has one table for each part of the machine ([`parameters`]), and may name a shipped profile as its `base`,
//! from which it takes what it leaves out. Invariant: whatever is refused is refused with its line.

use crate::parameter::{ProfileParameter, parameters};
use crate::profile::Profile;
use crate::setting::{ProfileSetting, SettingError};
use std::fs;
use std::path::Path;
use thiserror::Error;
use toml::Spanned;
use toml::de::{DeTable, DeValue};

macro_rules! shipped_files { ($($name:literal),+ $(,)?) => {
    [$(($name, include_str!(concat!("../profiles/", $name, ".toml")))),+]
} }

/// The shipped profiles.
const SHIPPED: [(&str, &str); 4] = shipped_files!("pi3", "pi4", "paper-1989", "paper-1989-fair");
/// The profile that is used unless another one is chosen.
pub(crate) const USUAL: &str = "pi3";
/// The key that names a shipped profile.
const BASE: &str = "base";

/// Why a file is no profile.
#[derive(Debug, Error)]
pub enum FileError {
    /// No such profile, no such file.
    #[error("no profile and no file is called {name}: {why}; shipped profiles: {known}", known = names().join(", "))]
    Missing {
        /// The name.
        name: String,
        /// What the file system says.
        why: std::io::Error,
    },
    /// A line is wrong.
    #[error("{file}:{line}: {what}")]
    Line {
        /// The file.
        file: String,
        /// From 1.
        line: usize,
        /// What is wrong.
        what: LineError,
    },
    /// A parameter is nowhere.
    #[error("{file}: `{key}` is missing, and no `base = \"pi3\"` has it")]
    Incomplete {
        /// The file.
        file: String,
        /// The parameter.
        key: &'static str,
    },
}

/// What is wrong with a line.
#[derive(Debug, Error)]
pub enum LineError {
    /// It is no TOML.
    #[error("not TOML: {0}")]
    Syntax(String),
    /// A parameter or its value.
    #[error(transparent)]
    Setting(#[from] SettingError),
    /// The base.
    #[error("`base` must be one of {known}", known = names().join(", "))]
    Base,
}

/// The names of the shipped profiles.
pub fn names() -> Vec<&'static str> {
    SHIPPED.iter().map(|(name, _)| *name).collect()
}

/// The shipped profile `name`.
pub fn shipped(name: &str) -> Option<Profile> {
    let (_, text) = SHIPPED.iter().find(|(known, _)| *known == name)?;
    Some(read(name, text).unwrap_or_else(|error| panic!("a shipped profile is whole: {error}")))
}

/// The profile that is used unless another one is chosen.
pub fn usual() -> Profile {
    shipped(USUAL).unwrap_or(Profile::UNSET)
}

impl Profile {
    /// The settings that make it of the usual profile.
    pub fn unusual(&self) -> Vec<ProfileSetting> {
        self.differences(&usual())
    }
}

/// The profile that `name` names: a shipped one, or the path of a file.
///
/// # Errors
/// If there is none, or its file is wrong.
pub(crate) fn find(name: &str) -> Result<Profile, FileError> {
    if let Some(profile) = shipped(name) {
        return Ok(profile);
    }
    match fs::read_to_string(Path::new(name)) {
        Ok(text) => read(name, &text),
        Err(why) => Err(FileError::Missing { name: name.to_string(), why }),
    }
}

/// Reads the `text` of `file`.
pub(crate) fn read(file: &str, text: &str) -> Result<Profile, FileError> {
    let at =
        |offset: usize, what: LineError| FileError::Line { file: file.to_string(), line: line_of(text, offset), what };
    let root = DeTable::parse(text).map_err(|error| {
        at(error.span().map_or(0, |span| span.start), LineError::Syntax(error.message().to_string()))
    })?;
    let (mut base, mut settings) = (None, Vec::new());
    for (key, value) in root.get_ref() {
        if key.get_ref() == BASE {
            let profile = value.get_ref().as_str().and_then(shipped);
            base = Some(profile.ok_or_else(|| at(value.span().start, LineError::Base))?);
            continue;
        }
        let mut add = |key: &str, value: &Spanned<DeValue<'_>>| -> Result<(), FileError> {
            let setting = ProfileSetting::new(key, &value_text(text, value));
            settings.push(setting.map_err(|error| at(value.span().start, error.into()))?);
            Ok(())
        };
        match value.get_ref().as_table() {
            None => add(key.get_ref(), value)?,
            Some(table) => {
                table
                    .iter()
                    .try_for_each(|(below, value)| add(&format!("{}.{}", key.get_ref(), below.get_ref()), value))?;
            }
        }
    }
    let missing = |parameter: &&ProfileParameter| !settings.iter().any(|setting| setting.key() == parameter.key);
    match (base, parameters().iter().find(missing)) {
        (None, Some(ProfileParameter { key, .. })) => Err(FileError::Incomplete { file: file.to_string(), key }),
        (base, _) => Ok(base.unwrap_or(Profile::UNSET).with(&settings)),
    }
}

/// A string's content; of anything else what the file says.
fn value_text(text: &str, value: &Spanned<DeValue<'_>>) -> String {
    value.get_ref().as_str().unwrap_or(&text[value.span()]).to_string()
}

/// The line, from 1, of byte `offset` of `text`.
fn line_of(text: &str, offset: usize) -> usize {
    1 + text.bytes().take(offset).filter(|byte| *byte == b'\n').count()
}

#[cfg(test)]
mod tests {
    use super::{names, read, shipped};
    use crate::{ProfileSetting, parameters};

    #[test]
    fn profile_file_base_gives_what_is_left_out() {
        let read = read("mine.toml", "base = \"pi3\"\n[link]\nrate_mbit_s = 8.5 # slow\narm_us = 20\n").unwrap();
        let settings = ["link.rate_mbit_s=8.5", "link.arm_us=20"].map(|text| text.parse::<ProfileSetting>().unwrap());
        assert_eq!(read, shipped("pi3").unwrap().with(&settings));
        assert_eq!((read.link_rate_bps, read.link_timing), (8_500_000, "pins"));
    }

    #[test]
    fn profile_file_of_all_settings_is_the_same_profile() {
        for name in names() {
            let profile = shipped(name).unwrap();
            let line = |setting: &ProfileSetting| match setting.value().parse::<f64>() {
                Ok(_) => format!("{} = {}\n", setting.key(), setting.value()),
                Err(_) => format!("{} = \"{}\"\n", setting.key(), setting.value()),
            };
            let text: String = profile.settings().iter().map(line).collect();
            assert_eq!(read("all.toml", &text).unwrap(), profile, "{text}");
            assert_eq!(profile.settings().len(), parameters().len());
        }
    }

    #[test]
    fn profile_file_nonsense_is_refused_with_file_line_and_range() {
        for (text, says) in [
            (
                "base = \"pi3\"\n\n[link]\nrate_mbit_s = 0\n",
                "mine.toml:4: `link.rate_mbit_s = 0`: must be from 0.5 to 1000 (the link's rate)",
            ),
            (
                "base = \"pi3\"\n[link]\nrate_mbit_s = \"fast\"\n",
                "mine.toml:3: `link.rate_mbit_s = fast`: must be from 0.5 to 1000",
            ),
            (
                "base = \"pi3\"\ninstruction = { ns = 700 }\n",
                "mine.toml:2: `instruction.ns = 700`: must be a power of two from 1 to 1024",
            ),
            ("base = \"pi3\"\nmedium = \"drum\"\n", "mine.toml:2: `medium = drum`: must be one of none, sd, null"),
            (
                "base = \"pi3\"\n[link]\nspeed = 3\n",
                "mine.toml:3: there is no parameter `link.speed`; there are instruction.ns",
            ),
            ("base = \"pi5\"\n", "mine.toml:1: `base` must be one of pi3, "),
            ("base = \"pi3\"\nmedium = \n", "mine.toml:2: not TOML: "),
            ("medium = \"sd\"\n", "mine.toml: `instruction.ns` is missing, and no `base = \"pi3\"` has it"),
        ] {
            let refused = read("mine.toml", text).unwrap_err().to_string();
            assert!(refused.starts_with(says), "{refused}");
        }
    }
}
