//! Which images there are to choose from, and which of them are ready.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::path::Path;

use super::base::BasePlan;
use super::flavour::{self, FlavourChain};
use super::{DiskChoice, ImageError, ImageSpec, listing};

/// One image to choose.
#[derive(Debug, Clone)]
pub struct CatalogueEntry {
    /// What it is called.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// Packages that are named for it.
    pub named: Vec<String>,
    /// What is known of it once its packages are fetched.
    pub fetched: Option<usize>,
    /// What is known of it once it is built.
    pub cached: Option<CachedImage>,
}

/// A cached image.
#[derive(Debug, Clone, Copy)]
pub struct CachedImage {
    /// Files in it.
    pub files: usize,
    /// Their bytes.
    pub content_bytes: u64,
    /// The size of the card that it is.
    pub card_bytes: u64,
    /// What it takes on this machine.
    pub host_bytes: u64,
}

/// The project's flavours, and `further` ones; nothing is fetched or built.
///
/// # Errors
/// When a flavour cannot be read.
pub fn catalogue(root: &Path, further: &[DiskChoice]) -> Result<Vec<CatalogueEntry>, ImageError> {
    let flavours = flavour::names(root)?.into_iter().map(|flavour| DiskChoice { flavour, ..DiskChoice::default() });
    let mut choices: Vec<DiskChoice> = flavours.collect();
    for choice in further {
        if !choices.contains(choice) {
            choices.push(choice.clone());
        }
    }
    let mut images = choices.into_iter().map(|choice| entry(root, choice)).collect::<Result<Vec<_>, _>>()?;
    images.sort_by_key(|image| image.named.len());
    Ok(images)
}

fn entry(root: &Path, choice: DiskChoice) -> Result<CatalogueEntry, ImageError> {
    let spec = ImageSpec { choice, ..ImageSpec::new(root) };
    let chain = FlavourChain::load(root, &spec.choice.flavour)?;
    let last = chain.flavours.last();
    let parts = last.into_iter().flat_map(|flavour| flavour.parts.iter().map(|part| part.name.clone()));
    let whole = last.into_iter().flat_map(|flavour| flavour.packages.clone());
    let named = parts.chain(whole).chain(spec.choice.packages.clone()).collect();
    let plan = BasePlan::make_if_fetched(&spec)?;
    let cached = plan.as_ref().and_then(|plan| plan.cached(&spec.work));
    let cached = cached.and_then(|(image, list)| {
        let (facts, (files, content_bytes)) = (fs::metadata(image).ok()?, listing::contents(&list));
        Some(CachedImage { files, content_bytes, card_bytes: facts.len(), host_bytes: facts.blocks() * 512 })
    });
    Ok(CatalogueEntry {
        name: spec.choice.label(),
        about: chain.about().into(),
        named,
        fetched: plan.as_ref().map(BasePlan::packages),
        cached,
    })
}
