//! Which disk image a command is about.

use crate::disk_image::Choice;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::fs;
use std::path::PathBuf;

/// Sizes of file systems that boards can mount, MiB.
const SIZE_MIB: std::ops::RangeInclusive<i64> = 16..=16_384;
const HEADING: &str = "What is on the disk";

/// A flavour, and what somebody adds to it.
#[derive(Args, Debug, Clone, Default)]
#[command(next_help_heading = HEADING)]
#[group(id = "ImageChoice", multiple = true)]
pub struct ImageChoice {
    /// Image: small, dev (Debian's shells, tools, compilers and interpreters), or a file (see docs/reference/images.md)
    #[arg(long, value_name = "NAME|FILE.toml")]
    pub image: Option<String>,
    /// Further Debian packages, which come with all that they depend on
    #[arg(long, value_name = "NAME", num_args = 1..)]
    pub packages: Vec<String>,
    /// The same from a file: names between spaces or on lines, `#` begins a comment
    #[arg(long, value_name = "FILE")]
    pub packages_file: Option<PathBuf>,
    /// Size of the file system; without it, that of the content and some room
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(SIZE_MIB))]
    pub disk_size: Option<u32>,
}

impl ImageChoice {
    /// The choice, with the file read.
    ///
    /// # Errors
    /// If the file cannot be read or names nothing.
    pub fn choice(&self) -> Result<Choice> {
        let mut choice = Choice { filesystem_mib: self.disk_size, ..Choice::default() };
        if let Some(flavour) = &self.image {
            choice.flavour.clone_from(flavour);
        }
        choice.packages.clone_from(&self.packages);
        if let Some(path) = &self.packages_file {
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
    use super::ImageChoice;

    #[test]
    fn a_file_of_packages_is_names_and_comments() {
        let path = std::env::temp_dir().join(format!("renga-packages-{}", std::process::id()));
        std::fs::write(&path, "# mine\nnano lua5.4 # an editor and a language\n\nnano\n").unwrap();
        let mut given = ImageChoice { packages_file: Some(path.clone()), ..ImageChoice::default() };
        given.packages.push("zsh".into());
        let choice = given.choice().unwrap();
        assert_eq!(choice.packages, ["lua5.4", "nano", "zsh"]);
        assert_eq!(choice.flavour, "small");
        std::fs::write(&path, "# nothing\n").unwrap();
        assert!(given.choice().unwrap_err().to_string().contains("names no package"));
        std::fs::remove_file(&path).unwrap();
        assert!(given.choice().unwrap_err().to_string().contains("cannot read"));
    }
}
