//! Settings: one parameter with its value, and profiles changed by them.

use crate::parameter::{ProfileParameter, parameters};
use crate::profile::Profile;
use serde::{Deserialize, Serialize};
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;
use thiserror::Error;

/// The link's waits follow its rate unless they are set, too.
const TIMING: &str = "link.timing";

/// `KEY=VALUE`: a parameter with a value of its range.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct ProfileSetting {
    key: &'static str,
    value: String,
}

/// Why something is no setting.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SettingError {
    /// It has no `=`.
    #[error("`{0}` is not KEY=VALUE, as in link.rate_mbit_s=8")]
    Form(String),
    /// No parameter has this key.
    #[error("there is no parameter `{0}`; there are {known}", known = keys().join(", "))]
    Key(String),
    /// The value is out of range.
    #[error("`{key} = {found}`: must be {range} ({what})", range = .parameter.range(), what = .parameter.what, key = .parameter.key)]
    Value {
        /// Of what.
        parameter: &'static ProfileParameter,
        /// The value.
        found: String,
    },
}

impl PartialEq for ProfileParameter {
    fn eq(&self, other: &ProfileParameter) -> bool {
        self.key == other.key
    }
}
impl Eq for ProfileParameter {}

fn keys() -> Vec<&'static str> {
    parameters().iter().map(|parameter| parameter.key).collect()
}

impl ProfileSetting {
    /// Parameter `key` with this value.
    ///
    /// # Errors
    /// If there is no such parameter, or the value is out of its range.
    pub fn new(key: &str, value: &str) -> Result<ProfileSetting, SettingError> {
        let parameter = ProfileParameter::named(key).ok_or_else(|| SettingError::Key(key.to_string()))?;
        let mut profile = Profile::UNSET;
        if !parameter.set(&mut profile, value) {
            return Err(SettingError::Value { parameter, found: value.to_string() });
        }
        Ok(ProfileSetting { key: parameter.key, value: parameter.show(&profile) })
    }

    /// The parameter's key.
    pub fn key(&self) -> &'static str {
        self.key
    }

    /// The value, in the shortest form.
    pub fn value(&self) -> &str {
        &self.value
    }
}

impl FromStr for ProfileSetting {
    type Err = SettingError;
    fn from_str(text: &str) -> Result<ProfileSetting, SettingError> {
        let (key, value) = text.split_once('=').ok_or_else(|| SettingError::Form(text.to_string()))?;
        ProfileSetting::new(key.trim(), value.trim())
    }
}

impl TryFrom<String> for ProfileSetting {
    type Error = SettingError;
    fn try_from(text: String) -> Result<ProfileSetting, SettingError> {
        text.parse()
    }
}

impl From<ProfileSetting> for String {
    fn from(setting: ProfileSetting) -> String {
        setting.to_string()
    }
}

impl Display for ProfileSetting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}={}", self.key, self.value)
    }
}

impl fmt::Debug for ProfileSetting {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{self}")
    }
}

impl Profile {
    /// The same with these settings, of which a later one counts more. The link's waits follow the rate unless they are
    /// set, too.
    #[must_use]
    pub fn with(self, settings: &[ProfileSetting]) -> Profile {
        let mut profile = self;
        for setting in settings {
            if let Some(parameter) = ProfileParameter::named(setting.key) {
                parameter.set(&mut profile, &setting.value);
            }
        }
        if settings.iter().any(|setting| setting.key == TIMING) || profile.link_rate_bps == self.link_rate_bps {
            return profile;
        }
        Profile { link_rate_bps: self.link_rate_bps, ..profile }.with_link_rate(profile.link_rate_bps)
    }

    /// Every parameter with its value.
    pub fn settings(&self) -> Vec<ProfileSetting> {
        let of =
            |parameter: &'static ProfileParameter| ProfileSetting { key: parameter.key, value: parameter.show(self) };
        parameters().iter().map(of).collect()
    }

    /// The settings that make this profile of `base`.
    pub fn differences(&self, base: &Profile) -> Vec<ProfileSetting> {
        let bases = base.settings();
        self.settings().into_iter().filter(|setting| !bases.contains(setting)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::{ProfileSetting, SettingError};
    use crate::shipped;

    fn setting(text: &str) -> ProfileSetting {
        text.parse().unwrap()
    }

    #[test]
    fn setting_values_have_one_form() {
        assert_eq!(setting("link.rate_mbit_s=8.50"), setting(" link.rate_mbit_s = 8.5 "));
        assert_eq!(setting("link.rate_mbit_s=8.50").to_string(), "link.rate_mbit_s=8.5");
    }

    #[test]
    fn setting_of_link_rate_changes_waits_unless_set() {
        let pi3 = shipped("pi3").unwrap();
        let timing = |settings: &[&str]| {
            let settings: Vec<ProfileSetting> = settings.iter().map(|text| setting(text)).collect();
            pi3.with(&settings).link_timing
        };
        assert_eq!(timing(&["link.rate_mbit_s=8"]), "pins");
        assert_eq!(timing(&["link.rate_mbit_s=1"]), "paper-1989");
        assert_eq!(timing(&["link.rate_mbit_s=100"]), "pi3");
        assert_eq!(timing(&["link.timing=pi3", "link.rate_mbit_s=1"]), "pi3");
        assert_eq!(timing(&["link.rate_mbit_s=1", "link.rate_mbit_s=18"]), "pi3");
    }

    #[test]
    fn setting_differences_make_one_profile_of_another() {
        let (pi3, old) = (shipped("pi3").unwrap(), shipped("paper-1989").unwrap());
        assert_eq!(pi3.with(&old.differences(&pi3)), old);
        assert!(pi3.differences(&pi3).is_empty());
    }

    #[test]
    fn setting_nonsense_is_refused_with_range() {
        let refused = |text: &str| text.parse::<ProfileSetting>().unwrap_err();
        assert_eq!(refused("link.rate_mbit_s"), SettingError::Form("link.rate_mbit_s".to_string()));
        assert_eq!(refused("link.rate=8"), SettingError::Key("link.rate".to_string()));
        assert_eq!(
            refused("instruction.ns=3").to_string(),
            "`instruction.ns = 3`: must be a power of two from 1 to 1024 (an instruction; the emulator's clock shifts a \
             count of instructions)"
        );
        assert_eq!(
            refused("link.rate_mbit_s=0.1").to_string(),
            "`link.rate_mbit_s = 0.1`: must be from 0.5 to 1000 (the link's rate)"
        );
        assert!(refused("medium=drum").to_string().contains("must be one of none, sd, null, "));
    }
}
