//! `renga run`: options.

use super::{ClusterArgs, EscapeKey, LinkName, ProgramName, ScriptOptions};
use clap::Args;
use std::path::PathBuf;

const DISTURBANCES: &str = "What goes wrong (in a session, Ctrl-] then `kill b`, `restart b`, `help`, `quit`)";

/// `renga run`
#[derive(Args, Debug, Clone)]
pub struct RunArgs {
    /// The cluster and its time.
    #[command(flatten)]
    pub machine: ClusterArgs,
    /// What runs, from which disk.
    #[command(flatten)]
    pub job: ScriptOptions,
    /// Boot every board from its card image in this folder (`renga image --board`): its kernel, its device tree and its
    /// command line, with a copy of the card in its slot
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["disk", "ImageChoice"])]
    pub cards: Option<PathBuf>,
    /// Boot without paravirtual devices: identity, boot count, entropy and the link come from the boards and their
    /// cards; their watchdogs reset them. Exit with 0 when the disk's board has stopped
    #[arg(long, requires = "cards", conflicts_with_all = ["record", "replay", "garbage", "revive"])]
    pub bare: bool,
    /// What the boards are: all of this model, or one of them (may be repeated): pi3, zero2w, pi4, b=pi4; without it, a
    /// Pi 3
    #[arg(long, value_name = "MODEL|BOARD=MODEL", conflicts_with_all = ["cards", "garbage"])]
    pub board: Vec<String>,
    /// Write what the kernels do, and every frame, with its exact virtual time; the run is the same without (see `renga
    /// trace`)
    #[arg(long, value_name = "FILE")]
    pub trace: Option<PathBuf>,
    /// Record what is typed, with its virtual time
    #[arg(long, value_name = "FILE", conflicts_with = "replay")]
    pub record: Option<PathBuf>,
    /// Type what a recording holds, at the same virtual times
    #[arg(long, value_name = "FILE", conflicts_with_all = ["command", "file"])]
    pub replay: Option<PathBuf>,
    /// Show the kernels' log on standard error
    #[arg(long)]
    pub log: bool,
    /// Say at the end how much virtual and real time it took, and the run's hashes
    #[arg(long)]
    pub stats: bool,
    /// Write the figures of --stats, and all hashes, as JSON into this file, or print them behind what the boards print
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Give up after this much virtual time
    #[arg(long, value_name = "SECONDS")]
    pub limit_s: Option<u64>,
    /// Let a board's kernel panic at this virtual time, to see its report: b@200
    #[arg(long, value_name = "BOARD@MILLISECONDS")]
    pub panic: Option<String>,
    /// Cut a board's power (may be repeated, as the next two) at this virtual time, b@1500 or b@340176975ns, or at this
    /// event of it, which then does not happen: b@frame:20, a@write:3, or a probe's name
    #[arg(long, value_name = "BOARD@WHEN", conflicts_with = "replay", help_heading = DISTURBANCES)]
    pub kill: Vec<String>,
    /// Stop a board's processor then
    #[arg(long, value_name = "BOARD@WHEN", conflicts_with = "replay", help_heading = DISTURBANCES)]
    pub hang: Vec<String>,
    /// Start a board then; one that runs or hangs is reset
    #[arg(long, value_name = "BOARD@WHEN", conflicts_with = "replay", help_heading = DISTURBANCES)]
    pub restart: Vec<String>,
    /// Faults of the link, in frames of a thousand: loss, corrupt, duplicate, delay, token (it gets lost), collision
    /// (there are two tokens), as in loss=20,token=2
    #[arg(long, value_name = "FAULT=FRAMES,...", help_heading = DISTURBANCES)]
    pub faults: Option<String>,
    /// Random faults of the link, cuts, hangs and restarts, by this seed, which is also the run's; every fifth seed
    /// includes the board with the disk
    #[arg(long, value_name = "SEED", conflicts_with_all = ["replay", "seed", "faults"], help_heading = DISTURBANCES)]
    pub chaos: Option<u64>,
    /// Restart a board one second after it failed by itself, instead of ending the run
    #[arg(long, help_heading = DISTURBANCES)]
    pub revive: bool,
    /// Instead of its processes, this board runs some that make calls of any content to every process of the others,
    /// random by the seed (may be repeated)
    #[arg(long, value_name = "BOARD", conflicts_with_all = ["replay", "cards"], help_heading = DISTURBANCES)]
    pub hostile: Vec<String>,
    /// Boards find memory, registers and devices full of garbage when they start, random by the seed
    #[arg(long, help_heading = DISTURBANCES)]
    pub garbage: bool,
    /// Cards are busy for so long after each write, as real ones that program
    #[arg(long, value_name = "MILLISECONDS", conflicts_with = "replay", help_heading = DISTURBANCES)]
    pub card_write_ms: Option<u64>,
    /// Let the boards load this file in place of the system's tables, to see what they refuse
    #[arg(long, hide = true, value_name = "FILE", conflicts_with = "cards")]
    pub tables: Option<PathBuf>,
    /// What carries frames between the boards
    #[arg(long, value_enum, value_name = "LINK", default_value_t = LinkName::Emulator)]
    pub link: LinkName,
    /// Instead of the system, run this on each board, over its pins, and exit with what it says on the disk's board: 0
    /// if all is well; cards may say it themselves
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with_all = ["command", "file", "replay", "cards"])]
    pub program: Option<ProgramName>,
    /// A wire between the boards' pins is broken (may be repeated): D3=low (stuck at low), b:D3=open (at board b it has
    /// no contact)
    #[arg(long, value_name = "WIRE=FAULT", conflicts_with_all = ["replay", "record"], help_heading = DISTURBANCES)]
    pub wire: Vec<String>,
    /// Give each board so many cores; those for which the system has no processes come up and sleep
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub cores: u8,
    /// The key that leads to the session's own commands; none: no key does
    #[arg(long, value_name = "KEY", default_value = "Ctrl-]")]
    pub escape: EscapeKey,
    /// Do not slow virtual time down to real time in an interactive session
    #[arg(long)]
    pub no_pace: bool,
}
