//! System files: finding, checking, and what a run needs to know of them.

use anyhow::{Context, Result, bail};
use renga_emu::Fingerprint;
use renga_placement::Checked;
use std::fs;
use std::path::{Path, PathBuf};

use renga_workspace::environment::Environment;

/// A system file that was found, read and checked.
pub struct SystemFile {
    /// Where it is.
    pub path: PathBuf,
    text: String,
    /// The checked system.
    pub checked: Checked,
}

impl SystemFile {
    /// The system called `name`, or in the file `name`.
    ///
    /// # Errors
    /// If there is no such system, or its placement is refused.
    pub fn find(environment: &Environment, name: &str) -> Result<SystemFile> {
        let folder = environment.root.join("sysprocs/systems");
        let path = if name.ends_with(".toml") || name.contains('/') {
            PathBuf::from(name)
        } else {
            folder.join(format!("{name}.toml"))
        };
        if !path.is_file() {
            bail!(
                "there is no system `{name}`: known ones are {}; or give the path of a file, such as ./my.toml",
                known(&folder)
            );
        }
        let text = fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
        let refused = || format!("{} is refused", path.display());
        let checked = renga_placement::parse(&text)
            .and_then(|system| renga_placement::check(&system, &renga_placement::code_kinds()))
            .with_context(refused)?;
        checked.validate().map_err(anyhow::Error::msg).context("the placement tool made tables that no board takes")?;
        Ok(SystemFile { path, text, checked })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.checked.name
    }
    /// A hash of its text.
    pub fn placement(&self) -> u64 {
        let mut hash = Fingerprint::default();
        hash.mix(self.text.as_bytes());
        hash.value()
    }
}

/// The systems in `folder`, where other files are, too.
fn known(folder: &Path) -> String {
    let mut names: Vec<String> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| fs::read_to_string(entry.path()).is_ok_and(|text| renga_placement::parse(&text).is_ok()))
        .filter_map(|entry| entry.file_name().to_str()?.strip_suffix(".toml").map(str::to_string))
        .collect();
    names.sort();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::known;
    use std::path::Path;

    /// Holds: run-wrong-board.
    #[test]
    fn system_known_names_are_systems_only() {
        let systems = known(&Path::new(env!("CARGO_MANIFEST_DIR")).join("../../sysprocs/systems"));
        let names: Vec<&str> = systems.split(", ").collect();
        assert!(names.contains(&"pair") && !names.contains(&"Cargo"), "{systems}");
    }
}
