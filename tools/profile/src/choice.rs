//! A machine as the command line names it.

use crate::file::{FileError, USUAL, find, shipped, usual};
use crate::profile::Profile;
use std::path::Path;
use std::str::FromStr;

/// A profile and its name: of a shipped one, or its file's path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ProfileChoice {
    /// As the command line has it.
    pub name: String,
    /// The profile.
    pub profile: Profile,
}

impl ProfileChoice {
    /// The profile that is used unless another one is chosen.
    pub const DEFAULT_NAME: &str = USUAL;

    /// The name that names it from every folder: a file's whole path.
    ///
    /// # Errors
    /// If the file is gone.
    pub fn name_from_anywhere(&self) -> std::io::Result<String> {
        match shipped(&self.name) {
            Some(_) => Ok(self.name.clone()),
            None => Ok(Path::new(&self.name).canonicalize()?.to_string_lossy().into_owned()),
        }
    }
}

impl Default for ProfileChoice {
    fn default() -> ProfileChoice {
        ProfileChoice { name: ProfileChoice::DEFAULT_NAME.to_string(), profile: usual() }
    }
}

impl FromStr for ProfileChoice {
    type Err = FileError;
    fn from_str(name: &str) -> Result<ProfileChoice, FileError> {
        Ok(ProfileChoice { name: name.to_string(), profile: find(name)? })
    }
}
