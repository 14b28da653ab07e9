//! The command line: every subcommand and option, with its help. Not here: what the commands do (`command`).

#![forbid(unsafe_code)]

mod examples;
mod hint;
mod image;
mod image_choice;
mod job;
mod ledger;
mod link;
mod linux;
mod long_part;
mod port_name;
mod program;
mod sweep;
mod top;
mod trace;

use clap::{Args, Parser, Subcommand, ValueEnum};
use examples::EXAMPLES;
use hint::hint;
pub use image::{DEFAULT_CLUSTER_NAME, Image};
pub use image_choice::ImageChoice;
pub use job::Job;
pub use ledger::{Compare, Ledger, Measuring, Report};
pub use link::LinkName;
pub use linux::Linux;
pub use long_part::LongPart;
pub use port_name::PortName;
pub use program::ProgramName;
use std::path::PathBuf;
pub use sweep::{Profiles, Sweep, SweepOf, Where};
pub use top::{Top, ViewName};
pub use trace::Trace;

/// Renga: a distributed operating system for a cluster of Raspberry Pi boards, here as QEMU machines
/// in deterministic virtual time.
#[derive(Parser, Debug)]
#[command(name = "renga", version, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

impl Cli {
    /// Reads the command line of this program. Ends the program on `--help`, and on a bad command line, with what may have
    /// been meant.
    pub fn read() -> Cli {
        Cli::try_parse().unwrap_or_else(|error| {
            let _ = error.print(); // a closed standard error leaves nobody to tell
            if let Some(hint) = hint(&error, std::env::args().skip(1)) {
                eprintln!("\n{hint}");
            }
            std::process::exit(error.exit_code())
        })
    }
}

const DISTURBANCES: &str = "What goes wrong (in a session, Ctrl-] then `kill b`, `restart b`, `help`)";

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum Command {
    /// Boot a cluster: an interactive shell, or one script
    Run(Box<Run>),
    /// Run one script on Debian's Linux, on the same emulated board with the same disk: to compare
    Linux(Linux),
    /// Run all tests: host, simulator, QEMU clusters
    Test(Test),
    /// Measure, in virtual time
    Bench(Bench),
    /// Check a system file: list its processes, prove that nobody can wait in a circle
    Check(Check),
    /// Run the cluster in one host program, from seeds: drawn workloads, faults and deaths
    #[command(disable_help_flag = true)]
    Sim(Sim),
    /// Carry out many independent runs on this machine or on a Slurm cluster; what was done is not done again
    Sweep(Sweep),
    /// Say what a trace (`renga run --trace`) says: a summary, or what an option asks for
    Trace(Trace),
    /// Show boards, programs, system processes and calls: of a run that goes on and writes a trace, or of a trace played again
    Top(Top),
    /// Build the disk image, or the card images of real boards; look into a card
    Image(Image),
    /// Write card images to cards, carefully; without arguments, list what could be written to
    Flash(Flash),
    /// Join this terminal with the serial lines of real boards
    Console(Console),
    /// Say what this machine has for building, emulating, flashing and connecting boards, and what it lacks
    Doctor,
    /// Build the book of `docs`, with the crates' documentation beside it, and print the path of its first page
    Docs,
    /// Print the settings with which plain cargo builds for the boards
    Env,
}

impl Command {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Run(_) => "run",
            Command::Linux(_) => "linux",
            Command::Test(_) => "test",
            Command::Bench(_) => "bench",
            Command::Check(_) => "check",
            Command::Sim(_) => "sim",
            Command::Sweep(_) => "sweep",
            Command::Trace(_) => "trace",
            Command::Top(_) => "top",
            Command::Image(_) => "image",
            Command::Flash(_) => "flash",
            Command::Console(_) => "console",
            Command::Doctor => "doctor",
            Command::Docs => "docs",
            Command::Env => "env",
        }
    }
}

/// Which cluster, in which time.
#[derive(Args, Debug, Clone)]
pub struct Machine {
    /// System: pair, quad, octet, solo, or a file (see `renga check`)
    #[arg(long, default_value = "pair", value_name = "NAME|FILE.toml")]
    pub system: String,
    /// Machine: how long an instruction takes, the link, the disk's medium
    #[arg(long, value_enum, default_value_t = ProfileName::Pi3)]
    pub profile: ProfileName,
    /// Seed of everything that is drawn by chance; the same seed gives the same run
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

/// Profiles by name.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum ProfileName {
    /// 1 ns an instruction, link of 18 Mbit/s, SD card
    Pi3,
    /// About 1 MIPS, link of 4 Mbit/s, disk of 1989
    #[value(name = "paper-1989")]
    Paper1989,
}

/// `renga run`
#[derive(Args, Debug, Clone)]
pub struct Run {
    /// The cluster and its time.
    #[command(flatten)]
    pub machine: Machine,
    /// What runs, from which disk.
    #[command(flatten)]
    pub job: Job,
    /// Boot every board from its card image in this folder (`renga image --board`): its kernel, its device tree and its
    /// command line, with a copy of the card in its slot
    #[arg(long, value_name = "FOLDER", conflicts_with_all = ["disk", "put", "extract", "ImageChoice"])]
    pub cards: Option<PathBuf>,
    /// Offer these boards no device of the emulator's: who they are, how often they were started, chance and the link come from the
    /// boards and their cards, and their watchdogs reset them; exit with 0 when the disk's board has stopped
    #[arg(long, requires = "cards", conflicts_with_all = ["record", "replay", "garbage", "revive"])]
    pub bare: bool,
    /// What the boards are: all of this model, or one of them (may be repeated): pi3, zero2w, pi4, b=pi4; without it, a Pi 3
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
    /// Give up after this much virtual time
    #[arg(long, value_name = "SECONDS")]
    pub limit_s: Option<u64>,
    /// Let a board's kernel panic at this virtual time, to see what that looks like: b@200
    #[arg(long, value_name = "BOARD@MILLISECONDS")]
    pub panic: Option<String>,
    /// Cut a board's power at this virtual time (may be repeated, as the next two): b@1500
    #[arg(long, value_name = "BOARD@MILLISECONDS", conflicts_with = "replay", help_heading = DISTURBANCES)]
    pub kill: Vec<String>,
    /// Stop a board's processor at this virtual time
    #[arg(long, value_name = "BOARD@MILLISECONDS", conflicts_with = "replay", help_heading = DISTURBANCES)]
    pub hang: Vec<String>,
    /// Start a board at this virtual time; one that runs or hangs is reset
    #[arg(long, value_name = "BOARD@MILLISECONDS", conflicts_with = "replay", help_heading = DISTURBANCES)]
    pub restart: Vec<String>,
    /// Faults of the link, in frames of a thousand: loss, corrupt, duplicate, delay, token (it gets lost), collision
    /// (there are two tokens), as in loss=20,token=2
    #[arg(long, value_name = "FAULT=FRAMES,...", help_heading = DISTURBANCES)]
    pub faults: Option<String>,
    /// Draw faults of the link, cuts, hangs and restarts from this seed, which is the run's seed too; every fifth seed
    /// also strikes the board with the disk
    #[arg(long, value_name = "SEED", conflicts_with_all = ["replay", "seed", "faults"], help_heading = DISTURBANCES)]
    pub chaos: Option<u64>,
    /// Start a board again one second after it died by itself, instead of ending the run
    #[arg(long, help_heading = DISTURBANCES)]
    pub revive: bool,
    /// Instead of its processes, this board runs some that make calls of any content to every process of the others,
    /// drawn from the seed (may be repeated)
    #[arg(long, value_name = "BOARD", conflicts_with_all = ["replay", "cards"], help_heading = DISTURBANCES)]
    pub hostile: Vec<String>,
    /// Boards find memory, registers and devices full of garbage when they start, drawn from the seed
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
    /// Instead of the system, run this on each board, over its pins, and exit with what it says on the disk's board: 0 if all is
    /// well; cards may say it themselves
    #[arg(long, value_enum, value_name = "PROGRAM", conflicts_with_all = ["command", "file", "replay", "cards"])]
    pub program: Option<ProgramName>,
    /// A wire between the boards' pins is broken (may be repeated): D3=low (it is held low), b:D3=open (at board b it has no
    /// contact)
    #[arg(long, value_name = "WIRE=FAULT", conflicts_with_all = ["replay", "record"], help_heading = DISTURBANCES)]
    pub wire: Vec<String>,
    /// Give each board so many cores; those for which the system has no processes come up and sleep
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u8).range(1..=4))]
    pub cores: u8,
    /// Do not slow virtual time down to real time in an interactive session
    #[arg(long)]
    pub no_pace: bool,
}

/// `renga sim`
#[derive(Args, Debug, Clone)]
pub struct Sim {
    /// What the simulator is told (see `renga sim --help`)
    #[arg(trailing_var_arg = true, allow_hyphen_values = true, value_name = "ARGUMENTS")]
    pub arguments: Vec<std::ffi::OsString>,
}

/// `renga test`
#[derive(Args, Debug, Clone)]
pub struct Test {
    /// Only tests whose names contain this
    #[arg(value_name = "FILTER")]
    pub filter: Option<String>,
    /// Only the tests that need no QEMU
    #[arg(long)]
    pub host: bool,
    /// Run the core, the link's state machines and its formats under miri (needs a nightly toolchain with miri)
    #[arg(long)]
    pub miri: bool,
    /// Try hostile input on each fuzz target, or those whose names contain FILTER, for so many seconds
    #[arg(long, value_name = "SECONDS")]
    pub fuzz: Option<u32>,
    /// Instead, what takes hours: all parts, or those named, as in `--long=octet,chaos`; FILTER chooses among their tests
    #[arg(long, value_enum, value_name = "PARTS", num_args = 0.., require_equals = true, value_delimiter = ',')]
    #[arg(conflicts_with_all = ["host", "miri", "fuzz"])]
    pub long: Option<Vec<LongPart>>,
}

/// `renga bench`
#[derive(Args, Debug, Clone)]
pub struct Bench {
    /// What to measure
    #[command(subcommand)]
    pub what: Measurement,
}

/// What can be measured.
#[derive(Subcommand, Debug, Clone)]
pub enum Measurement {
    /// Exact instruction counts of rendezvous, interrupts and system calls on the booted image
    Rendezvous,
    /// A call between boards, split into wire, token and software; bulk rate
    Link(Machine),
    /// Instructions of the pins' driver for each access to them, counted on the booted image
    Pins,
    /// The emulator's speed on this host: two and eight boards that all compute
    Emulator,
    /// The bus on the boards' pins, against a model of pins: payload rates and latencies of every mode
    Bus(Bus),
    /// System calls and commands on boards a and b, beside Linux on the same emulated board
    Unix(Unix),
    /// Real workloads from board b with synchronous and asynchronous calls
    SyncAsync(Machine),
    /// The results of the paper on process networks, row by row: published, ours, verdict
    P1(Ledger),
    /// The results of the paper on background jobs, row by row: published, ours, verdict
    P2(Ledger),
    /// The results of the paper on noise by page reclamation, row by row: published, ours, verdict
    P3(Ledger),
    /// The results of the paper on controlling a program's speed through its I/O, row by row: published, ours, verdict
    P4(Ledger),
    /// The results of the paper on applications and OS on several cores: published, Linux's here, ours as far as measured
    P5(Ledger),
    /// Synchronous against asynchronous calls as a map: message size, boards, callers, the link's rate
    Map(Measuring),
    /// Four jobs on two boards: the time of each placement predicted from each job alone, and measured
    Placements(Measuring),
    /// Compiles and a parallel make on one, two, four and eight boards
    Scale(Measuring),
    /// What changed between two sets of results; exit with 1 if anything did
    Compare(Compare),
    /// A page of results, with plots, and the same as Markdown
    Report(Report),
}

/// `renga bench unix`
#[derive(Args, Debug, Clone)]
pub struct Unix {
    /// Only what has a bound; exit with 1 if one is worse than that
    #[arg(long)]
    pub short: bool,
    /// Write the figures here, as JSON
    #[arg(long, value_name = "FILE")]
    pub json: Option<PathBuf>,
}

/// `renga bench bus`
#[derive(Args, Debug, Clone)]
pub struct Bus {
    /// Seed of stalls and of levels between the thresholds; the same seed gives the same figures
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Instructions of the driver before each access to the pins, one a clock; without it, what `bench pins` counts
    #[arg(long, value_name = "N")]
    pub instructions: Option<u64>,
}

/// `renga check`
#[derive(Args, Debug, Clone)]
pub struct Check {
    /// System: pair, quad, octet, solo, or a file
    #[arg(default_value = "pair", value_name = "NAME|FILE.toml")]
    pub system: String,
    /// Write the who-calls-whom graph here, for `dot -Tsvg`
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Say what each figure of the memory for messages is, and what makes it smaller
    #[arg(short, long)]
    pub verbose: bool,
}

/// `renga flash`
#[derive(Args, Debug, Clone)]
#[command(after_help = FLASH_STATUS)]
pub struct Flash {
    /// The card's device, such as /dev/sdb, or a file; nothing is ever chosen for you
    #[arg(value_name = "DEVICE|FILE", requires = "what")]
    pub target: Option<PathBuf>,
    /// Write this card image
    #[arg(long, value_name = "FILE", group = "what", requires = "target")]
    pub image: Option<PathBuf>,
    /// Write the cards of this cluster, one after the other; a journal beside the file remembers which are done
    #[arg(long, value_name = "FILE.toml", group = "what", requires = "target")]
    pub cluster: Option<PathBuf>,
    /// Of the cluster, only this board's
    #[arg(long, value_name = "NAME", requires = "cluster")]
    pub board: Option<String>,
    /// Take the cluster's images from this folder instead of making them
    #[arg(long, value_name = "FOLDER", requires = "cluster")]
    pub images: Option<PathBuf>,
    /// Say what would be done, and do nothing
    #[arg(long)]
    pub dry_run: bool,
    /// Only compare the card with the image
    #[arg(long, conflicts_with = "dry_run")]
    pub verify_only: bool,
    /// Allow a device of more than 128 GB
    #[arg(long)]
    pub large: bool,
    /// Write boards that have their card, and to cards that another board has
    #[arg(long, requires = "cluster")]
    pub again: bool,
    /// Do not ask; needs --serial
    #[arg(long, requires = "serial")]
    pub yes: bool,
    /// The whole serial number of the device (its model, or its path, if it has none), with --yes
    #[arg(long, value_name = "TEXT", requires = "yes")]
    pub serial: Option<String>,
}

const FLASH_STATUS: &str = "Exit status:
  0  done: written, read back and equal
  1  what was read back differs from the image
  2  wrong arguments
  3  the device is refused, is not there, or cannot be opened
  4  not confirmed
  5  the card was taken out, is full, or cannot be written or read
  6  the card is another board's already
  125  anything else";

/// `renga console`
#[derive(Args, Debug, Clone)]
pub struct Console {
    /// Serial ports of the boards' consoles, as in /dev/ttyUSB0=a
    #[arg(value_name = "PORT[=NAME]", required = true)]
    pub port: Vec<PortName>,
    /// A serial port that carries a kernel's log (may be repeated)
    #[arg(long, value_name = "PORT[=NAME]")]
    pub log: Vec<PortName>,
    /// The kernel that explains the logs; without it, the one that is built
    #[arg(long, value_name = "FILE")]
    pub elf: Option<PathBuf>,
    /// Write what each port says into files in this folder: NAME.serial as it comes, NAME.log decoded
    #[arg(long, value_name = "FOLDER")]
    pub record: Option<PathBuf>,
}
