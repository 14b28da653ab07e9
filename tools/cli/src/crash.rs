//! `renga crash`: options.

use super::{ClusterArgs, ImageChoice};
use clap::Args;
use std::path::PathBuf;

/// `renga crash`
#[derive(Args, Debug, Clone)]
#[command(after_help = AFTER)]
pub struct CrashArgs {
    /// The shell script that is cut
    #[arg(short = 'f', long = "file", value_name = "FILE")]
    pub file: PathBuf,
    /// The shell script that inspects the disk after the restart; its standard input is what the cut script had
    /// printed. A status other than 0 is a violation
    #[arg(long, value_name = "FILE")]
    pub oracle: PathBuf,
    /// What loses its power at which events: all@write, a@commit, b@frame; or at which one: b@frame:20
    #[arg(long, value_name = "BOARD@EVENT[:N]", default_value = "all@write")]
    pub kill: String,
    /// The most cuts, spread evenly over all events
    #[arg(long, default_value_t = 200, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub points: u32,
    /// Runs at a time [default: the number of cores]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    pub jobs: Option<u16>,
    /// Folder for results, which are not computed again [default: target/renga/crash]
    #[arg(long, value_name = "FOLDER")]
    pub results: Option<PathBuf>,
    /// Copy this file or folder of the host into /host on the disk (may be repeated)
    #[arg(long, value_name = "PATH")]
    pub put: Vec<PathBuf>,
    /// What is on the disk.
    #[command(flatten)]
    pub image: ImageChoice,
    /// The cluster and its time.
    #[command(flatten)]
    pub machine: ClusterArgs,
}

const AFTER: &str = "The script runs once to count its events, from `sync` after the boot to its end. Then it is cut at each chosen event.
The cut boards restart, the oracle runs, and e2fsck checks the disk at the end, after a cut of all also then.

Points of all@write are replayed: the disk at each is the beginning of the first run's writes. Renga's recovery and
e2fsck's run on the host and must agree. The oracle sees each different result once, several in one boot, with the files'
names, contents, permissions, owners and hard links. One of the points is cut really, as is all@write:20; the bytes of
its disk must be those of the replay.

Events: write (the disk board begins to write blocks), frame, or a probe of the kernel, such as commit or disk-end.

Examples:
  ./renga crash -f userland/crash/rename.sh --oracle userland/crash/rename.oracle.sh
  ./renga crash -f save.sh --oracle check.sh --kill b@frame --points 2000
  ./renga crash -f save.sh --oracle check.sh --kill b@frame:20      one point again, with all that was said

Exit status: 0 no violation; 1 violations, each with the command that repeats it.";
