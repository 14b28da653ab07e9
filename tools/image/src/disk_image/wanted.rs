//! The image that a command line asks for.

use super::DiskChoice;
use anyhow::{Context, Result, bail};
use renga_cli::ImageChoice;
use std::fs;

impl TryFrom<&ImageChoice> for DiskChoice {
    type Error = anyhow::Error;

    /// Reads the file of packages; an error if it cannot be read or names nothing.
    fn try_from(given: &ImageChoice) -> Result<DiskChoice> {
        let mut choice = DiskChoice { filesystem_mib: given.disk_size_mib, ..DiskChoice::default() };
        if let Some(flavour) = &given.image {
            choice.flavour.clone_from(flavour);
        }
        choice.packages.clone_from(&given.packages);
        if let Some(path) = &given.packages_file {
            let text = fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
            let before = choice.packages.len();
            let names = text.lines().flat_map(|line| line.split('#').next().unwrap_or_default().split_whitespace());
            choice.packages.extend(names.map(str::to_string));
            if choice.packages.len() == before {
                bail!("{} names no package", path.display());
            }
        }
        choice.packages.sort();
        choice.packages.dedup();
        Ok(choice)
    }
}

#[cfg(test)]
mod tests {
    use crate::disk_image::DiskChoice;
    use renga_cli::ImageChoice;

    #[test]
    fn packages_file_has_names_and_comments() {
        let path = std::env::temp_dir().join(format!("renga-packages-{}", std::process::id()));
        std::fs::write(&path, "# mine\nnano lua5.4 # an editor and a language\n\nnano\n").unwrap();
        let mut given = ImageChoice { packages_file: Some(path.clone()), ..ImageChoice::default() };
        given.packages.push("zsh".into());
        let choice = DiskChoice::try_from(&given).unwrap();
        assert_eq!(choice.packages, ["lua5.4", "nano", "zsh"]);
        assert_eq!(choice.flavour, "small");
        std::fs::write(&path, "# nothing\n").unwrap();
        assert!(DiskChoice::try_from(&given).unwrap_err().to_string().contains("names no package"));
        std::fs::remove_file(&path).unwrap();
        assert!(DiskChoice::try_from(&given).unwrap_err().to_string().contains("cannot read"));
    }
}
