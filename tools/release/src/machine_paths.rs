//! Paths of this machine, which nothing in a release may contain.

use anyhow::{Result, bail};
use renga_workspace::cargo;
use renga_workspace::environment::Environment;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

/// Folders of the machine that makes the release.
#[derive(Debug)]
pub(crate) struct MachinePaths {
    folders: Vec<PathBuf>,
}

impl MachinePaths {
    /// The checkout, cargo's folder and rustup's.
    pub(crate) fn of(environment: &Environment) -> MachinePaths {
        let (cargo, rustup) = (cargo::home("CARGO_HOME", ".cargo"), cargo::home("RUSTUP_HOME", ".rustup"));
        let mut folders = vec![environment.root.clone(), cargo, rustup];
        // A folder of the name to which paths are mapped says nothing about the machine.
        folders
            .retain(|folder| folder.is_absolute() && !cargo::MAPPED.iter().any(|mapped| folder.as_os_str() == *mapped));
        MachinePaths { folders }
    }

    /// Refuses a file that contains one of them.
    pub(crate) fn refuse(&self, place: &str, bytes: &[u8]) -> Result<()> {
        for at in (0..bytes.len()).filter(|at| bytes[*at] == b'/') {
            for folder in &self.folders {
                let Some(rest) = bytes[at..].strip_prefix(folder.as_os_str().as_bytes()) else { continue };
                let is_whole = rest.first().is_none_or(|next| !next.is_ascii_alphanumeric() && !b"-_.".contains(next));
                if is_whole {
                    bail!("{place} contains the path {} of this machine", folder.display());
                }
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::MachinePaths;

    #[test]
    fn machine_paths_are_found_as_whole_folders() {
        let paths = MachinePaths { folders: vec!["/home/a/renga".into()] };
        for leak in ["x/home/a/renga/kernel", "/home/a/renga", "\0/home/a/renga\0"] {
            let error = paths.refuse("lib", leak.as_bytes()).expect_err(leak);
            assert_eq!(error.to_string(), "lib contains the path /home/a/renga of this machine");
        }
        for fine in ["/home/a/renga2/kernel", "/home/a/reng", "/renga/kernel"] {
            paths.refuse("lib", fine.as_bytes()).expect(fine);
        }
    }
}
