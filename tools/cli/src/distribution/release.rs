//! `renga release`: options.

use clap::Args;
use std::path::PathBuf;

/// `renga release`
#[derive(Args, Debug, Clone)]
pub struct ReleaseArgs {
    /// The archive; without this option, renga-VERSION-MACHINE-linux.tar.gz in target/renga
    #[arg(long, value_name = "FILE.tar.gz")]
    pub out: Option<PathBuf>,
    /// Leave the book out, which needs mdBook: the archive has its Markdown pages all the same
    #[arg(long)]
    pub no_book: bool,
}
