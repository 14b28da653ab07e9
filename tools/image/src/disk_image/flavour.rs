//! Flavours: which packages, links, folders, devices and files an image has. One file each in `userland/images`, or a
//! user's own.
//!
//! Invariant: a flavour that builds on another comes after it, so that what it says replaces what the other said.
//! Not here: what the packages contain (`assemble`), and which further packages they need (`packages`).

use std::fs;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::ImageError;
use super::error::at;

/// Where the flavours of the project lie.
pub(super) const FLAVOURS: &str = "userland/images";
/// Flavours that build on one another.
const CHAIN_MAX: usize = 8;

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ImageFlavour {
    /// What it is for, in a line.
    pub(super) about: String,
    /// The flavour that this one adds to.
    pub(super) base: Option<String>,
    /// Packages that come whole, with all that they depend on.
    #[serde(default)]
    pub(super) packages: Vec<String>,
    /// Folders of whole packages that are left out. Licences always come.
    #[serde(default)]
    pub(super) leave_out: Vec<String>,
    /// Packages of which single files are taken, whatever they depend on.
    #[serde(rename = "package", default)]
    pub(super) parts: Vec<FlavourPart>,
    pub(super) applets: Option<Applets>,
    #[serde(rename = "link", default)]
    pub(super) links: Vec<FlavourLink>,
    #[serde(rename = "copy", default)]
    pub(super) copies: Vec<Copied>,
    #[serde(rename = "directory", default)]
    pub(super) directories: Vec<FlavourDirectory>,
    #[serde(rename = "device", default)]
    pub(super) devices: Vec<FlavourDevice>,
    #[serde(rename = "file", default)]
    pub(super) files: Vec<TextFile>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlavourPart {
    pub(super) name: String,
    pub(super) take: Vec<String>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Applets {
    pub(super) program: String,
    pub(super) list: PathBuf,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlavourLink {
    pub(super) path: String,
    pub(super) target: String,
}

/// A file that a package brings as a model for another, if it is there.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct Copied {
    pub(super) from: String,
    pub(super) to: String,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlavourDirectory {
    pub(super) path: String,
    pub(super) mode: u32,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FlavourDevice {
    pub(super) path: String,
    pub(super) major: u32,
    pub(super) minor: u32,
    pub(super) mode: u32,
    #[serde(default)]
    pub(super) block: bool,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct TextFile {
    pub(super) path: String,
    pub(super) mode: u32,
    pub(super) text: String,
}

/// A flavour with those that it builds on, the first of all first, and the texts that say so.
#[derive(Debug)]
pub(super) struct FlavourChain {
    pub(super) flavours: Vec<ImageFlavour>,
    pub(super) texts: Vec<String>,
}

impl FlavourChain {
    /// Reads the flavour of this name, or in this file.
    pub(super) fn load(root: &Path, name: &str) -> Result<Self, ImageError> {
        let mut chain = Self { flavours: Vec::new(), texts: Vec::new() };
        let mut next = Some(name.to_string());
        while let Some(name) = next {
            let path = find(root, &name)?;
            let bad = |reason: String| ImageError::ImageFlavour { path: path.clone(), reason };
            if chain.flavours.len() == CHAIN_MAX {
                return Err(bad(format!("more than {CHAIN_MAX} flavours build on one another")));
            }
            let text = fs::read_to_string(&path).map_err(at(&path))?;
            let flavour: ImageFlavour = toml::from_str(&text).map_err(|fault| bad(fault.to_string()))?;
            next = flavour.base.clone();
            if let Some(applets) = &flavour.applets {
                let list = root.join(&applets.list);
                chain.texts.push(fs::read_to_string(&list).map_err(at(&list))?);
            }
            chain.texts.push(text);
            chain.flavours.push(flavour);
        }
        chain.flavours.reverse();
        Ok(chain)
    }

    /// What the last of them is for.
    pub(super) fn about(&self) -> &str {
        self.flavours.last().map_or("", |flavour| &flavour.about)
    }
}

/// The names of the project's flavours, sorted.
pub(super) fn names(root: &Path) -> Result<Vec<String>, ImageError> {
    let folder = root.join(FLAVOURS);
    let mut names = Vec::new();
    for entry in fs::read_dir(&folder).map_err(at(&folder))? {
        let path = entry.map_err(at(&folder))?.path();
        if path.extension().is_some_and(|extension| extension == "toml") {
            names.extend(path.file_stem().map(|stem| stem.to_string_lossy().into_owned()));
        }
    }
    names.sort();
    Ok(names)
}

fn find(root: &Path, name: &str) -> Result<PathBuf, ImageError> {
    if name.ends_with(".toml") {
        return Ok(PathBuf::from(name));
    }
    let known = names(root)?;
    if known.iter().any(|known| known == name) {
        return Ok(root.join(FLAVOURS).join(format!("{name}.toml")));
    }
    Err(ImageError::NoSuchFlavour { name: name.into(), known: known.join(", ") })
}
