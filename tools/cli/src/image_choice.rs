//! Which disk image a command is about.

use clap::Args;
use std::path::PathBuf;

/// Sizes of file systems that boards can mount, MiB.
const SIZE_MIB: std::ops::RangeInclusive<i64> = 16..=16_384;
const HEADING: &str = "What is on the disk";

/// An image, and additions to it.
#[derive(Args, Debug, Clone, Default)]
#[group(id = "ImageChoice", multiple = true)]
pub struct ImageChoice {
    /// Image: small, dev (Debian's shells, tools, compilers and interpreters), or a file (see docs/reference/images.md)
    #[arg(long, value_name = "NAME|FILE.toml", help_heading = HEADING)]
    pub image: Option<String>,
    /// Further Debian packages, which come with all that they depend on
    #[arg(long, value_name = "NAME", num_args = 1.., help_heading = HEADING)]
    pub packages: Vec<String>,
    /// The same from a file: names between spaces or on lines, `#` begins a comment
    #[arg(long, value_name = "FILE", help_heading = HEADING)]
    pub packages_file: Option<PathBuf>,
    /// Size of the file system; without it, that of the content and some room
    #[arg(long, value_name = "MIB", value_parser = clap::value_parser!(u32).range(SIZE_MIB), help_heading = HEADING)]
    pub disk_size_mib: Option<u32>,
}
