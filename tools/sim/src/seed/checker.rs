//! Makes the medium of a run and checks it afterwards: e2fsprogs do, which a browser has not.
//!
//! Invariant: no checker changes a run, so its hash is the same with each. Not here: what has to be on the medium
//! (`verdict.rs`).

use crate::program::SimPrograms;
use crate::system::Pages;
use crate::system::image::{self, FileContents};
use std::sync::OnceLock;

/// Size of the medium.
const DISK_MEBIBYTES: u32 = 12;

/// The checker of a run's medium.
#[derive(Clone)]
pub enum MediumChecker {
    /// mke2fs makes the medium, e2fsck checks it.
    E2fsprogs,
    /// The run begins with this medium, and nothing checks what is left on it.
    Absent(Pages),
}

impl MediumChecker {
    /// The medium that every run begins with: all have the same programs.
    pub(super) fn fresh_disk(&self, programs: &SimPrograms) -> Result<Pages, String> {
        static SYNTHETIC: OnceLock<Result<Pages, String>> = OnceLock::new();
        match self {
            MediumChecker::Absent(fresh) => Ok(fresh.clone()),
            MediumChecker::E2fsprogs => {
                let make = || image::make(DISK_MEBIBYTES, &programs.files()).map_err(|error| error.to_string());
                SYNTHETIC.get_or_init(make).clone()
            }
        }
    }

    /// The files on a medium that is clean, or that can be mended if it is `damaged`; `None`: there is no checker.
    pub(super) fn files(&self, content: &Pages, damaged: bool) -> Result<Option<FileContents>, String> {
        let found = match self {
            MediumChecker::Absent(_) => return Ok(None),
            MediumChecker::E2fsprogs if damaged => image::recover(content),
            MediumChecker::E2fsprogs => image::check(content),
        };
        found.map(Some).map_err(|error| error.to_string())
    }
}
