//! Where packages are kept, and what a request for packages includes.

use std::path::Path;

/// What of packages is wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Closure {
    Alone,
    WithDependencies,
    /// Not the packages, but what they are made of.
    Source,
}

/// Where packages of an architecture are kept.
#[derive(Debug, Clone, Copy)]
pub(super) struct PackageStore<'a> {
    pub(super) root: &'a Path,
    pub(super) work: &'a Path,
    pub(super) architecture: &'a str,
}
