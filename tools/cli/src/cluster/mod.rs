//! `renga cluster`: options.

mod new;

use clap::{Args, Subcommand};
pub use new::ClusterNew;

/// `renga cluster`
#[derive(Args, Debug, Clone)]
pub struct RealClusterArgs {
    /// What to do.
    #[command(subcommand)]
    pub what: RealClusterCommand,
}

/// What can be done with clusters of real boards.
#[derive(Subcommand, Debug, Clone)]
pub enum RealClusterCommand {
    /// Ask what boards there are, and make their system file, wiring plan and card images
    New(Box<ClusterNew>),
}
