//! What can go wrong with an image, said so that the user can act on it.

use std::io;
use std::path::{Path, PathBuf};

/// Why an image could not be built, read or judged.
#[derive(Debug, thiserror::Error)]
pub enum ImageError {
    /// A file of the host could not be read or written.
    #[error("{}: {cause}", path.display())]
    File {
        /// Which file.
        path: PathBuf,
        /// What the host said.
        cause: io::Error,
    },
    /// A host program is not there.
    #[error("cannot run {program}: {cause}; ./renga installs it, or: apt-get install {package}")]
    MissingProgram {
        /// The program.
        program: String,
        /// The Debian package that has it.
        package: &'static str,
        /// What the host said.
        cause: io::Error,
    },
    /// A host program failed.
    #[error("{program} failed:\n{report}")]
    Failed {
        /// The program.
        program: String,
        /// What it printed.
        report: String,
    },
    /// The machine's Debian mirror does not answer.
    #[error(
        "the Debian mirror of this machine cannot be reached. Connect to it (or set http_proxy) and try again; images that \
         `./renga image --list` shows as cached need no network. apt says:\n{report}"
    )]
    Unreachable {
        /// What apt printed.
        report: String,
    },
    /// A package that Debian does not have.
    #[error(
        "Debian has no package {name}{}", if nearest.is_empty() { String::new() } else { format!("; did you mean {nearest}?") }
    )]
    NoSuchPackage {
        /// What was asked for.
        name: String,
        /// Names like it, separated by commas.
        nearest: String,
    },
    /// Not a name that a package could have.
    #[error("{name:?} cannot be a package: names are of small letters, digits and `+-.`, as in libstdc++6 or lua5.4")]
    BadPackageName {
        /// What was asked for.
        name: String,
    },
    /// Packages could not be fetched for another reason.
    #[error("cannot fetch the Debian packages {packages} for {architecture}; apt says:\n{report}")]
    Fetch {
        /// Their names.
        packages: String,
        /// For which architecture.
        architecture: String,
        /// What apt printed.
        report: String,
    },
    /// A flavour that is not there.
    #[error("there is no image {name}: there are {known}, or give a file like those of userland/images: mine.toml")]
    NoSuchFlavour {
        /// What was asked for.
        name: String,
        /// The names that there are.
        known: String,
    },
    /// A flavour is not what it should be.
    #[error("{}: {reason}", path.display())]
    ImageFlavour {
        /// The file.
        path: PathBuf,
        /// What is wrong in it.
        reason: String,
    },
    /// Less room was wished than the content needs.
    #[error(
        "the content needs at least {content_mib} MiB, and its size was to be {wished_mib}: use a larger --disk-size-mib, or none"
    )]
    TooSmall {
        /// What was asked for.
        wished_mib: u32,
        /// What is needed.
        content_mib: u32,
    },
    /// More files than there is room for.
    #[error(
        "there are {files} files and folders for the disk, which has room for {inodes}: use a larger --disk-size-mib"
    )]
    TooManyFiles {
        /// What there is.
        files: u64,
        /// What there can be.
        inodes: u64,
    },
    /// A path on the image that cannot be made.
    #[error("{path:?} cannot be a path on the image: {reason}")]
    BadPath {
        /// The path.
        path: String,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// The file is not a disk image of ours.
    #[error("{} is not a disk with an ext2 file system: {reason}. Build one with: ./renga image", image.display())]
    NotExt2 {
        /// The file.
        image: PathBuf,
        /// What is missing.
        reason: &'static str,
    },
    /// No board would mount its file system.
    #[error(
        "{} cannot be mounted: {reason}. Try e2fsck -p on a copy, or make another image: ./renga image", image.display()
    )]
    Unmountable {
        /// The file.
        image: PathBuf,
        /// What a board would say.
        reason: &'static str,
    },
    /// The file system checker finds faults in a fresh image.
    #[error("the file system of {} is damaged:\n{report}", image.display())]
    Damaged {
        /// The file.
        image: PathBuf,
        /// What e2fsck printed.
        report: String,
    },
}

/// Names the file that an I/O error is about.
pub(super) fn at(path: &Path) -> impl Fn(io::Error) -> ImageError + '_ {
    move |cause| ImageError::File { path: path.to_path_buf(), cause }
}
