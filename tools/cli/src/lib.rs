//! The command line: every subcommand and option, with its help. Not here: what the commands do (`command`).

#![forbid(unsafe_code)]

mod cluster;
mod compare;
mod crash;
mod distribution;
mod escape_key;
mod examples;
mod flash;
mod hint;
mod image;
mod image_choice;
mod job;
mod ledger;
mod link;
mod linux;
mod long_part;
mod port_name;
mod profile;
mod program;
mod run;
mod sim;
mod sweep;
mod system;
mod top;
mod trace;
mod view;

use clap::{Args, Parser, Subcommand};
pub use cluster::{ClusterNew, RealClusterArgs, RealClusterCommand};
pub use compare::CompareArgs;
pub use crash::CrashArgs;
pub use distribution::{CompletionKind, Completions, ReleaseArgs};
pub use escape_key::EscapeKey;
use examples::EXAMPLES;
pub use flash::Flash;
pub use hint::hint;
pub use image::{DEFAULT_CLUSTER_NAME, ImageArgs};
pub use image_choice::ImageChoice;
pub use job::ScriptOptions;
pub use ledger::{BenchDiff, Ledger, Measuring, PlacementsArgs, ReportArgs};
pub use link::LinkName;
pub use linux::LinuxArgs;
pub use long_part::LongPart;
pub use port_name::PortName;
pub use profile::{BenchProfiles, ProfileArgs};
pub use program::ProgramName;
pub use run::RunArgs;
pub use sim::{Sim, SimLevel};
use std::path::PathBuf;
pub use sweep::{SweepArgs, SweepOf, SweepPlace};
pub use system::{SystemArgs, SystemCommand, SystemNew};
pub use top::{Top, ViewName};
pub use trace::TraceArgs;
pub use view::ViewArgs;

/// Renga: a distributed operating system for a cluster of Raspberry Pi boards, here as QEMU machines
/// in deterministic virtual time.
#[derive(Parser, Debug)]
#[command(name = "renga", version, propagate_version = true, after_help = EXAMPLES, max_term_width = 100)]
pub struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub command: RengaCommand,
}

/// Exit status when Renga itself fails.
const FAILURE_STATUS: i32 = 125;

impl Cli {
    /// Reads the command line of this program. Ends the program on `--help`, and on a bad command line, with what may
    /// have been meant.
    pub fn read() -> Cli {
        Cli::try_parse().unwrap_or_else(|error| {
            // A closed output has no reader.
            if let Err(cause) = error.print()
                && !error.use_stderr()
                && cause.kind() != std::io::ErrorKind::BrokenPipe
            {
                eprintln!("renga: standard output is not whole: {cause}");
                std::process::exit(FAILURE_STATUS);
            }
            if let Some(hint) = hint(&error, std::env::args().skip(1)) {
                eprintln!("\n{hint}");
            }
            std::process::exit(error.exit_code())
        })
    }
}

/// The subcommands.
#[derive(Subcommand, Debug)]
pub enum RengaCommand {
    /// Boot a cluster: an interactive shell, or one script
    Run(Box<RunArgs>),
    /// Run one script on Debian's Linux, on the same emulated board with the same disk: to compare
    Linux(LinuxArgs),
    /// Run all tests: host, simulator, QEMU clusters
    Test(Test),
    /// Measure, in virtual time
    Bench(Bench),
    /// Check a system file: list its processes, prove that they cannot deadlock
    Check(Check),
    /// Write a system file
    System(SystemArgs),
    /// Run the cluster in one host program, from seeds: random workloads, faults and failures
    Sim(Sim),
    /// Cut a script's power at each of its events, restart, and let an oracle inspect the disk
    Crash(Box<CrashArgs>),
    /// Run many independent jobs on this machine or on a Slurm cluster; results are kept
    Sweep(SweepArgs),
    /// Print the summary of a trace (`renga run --trace`), or the part that an option names
    Trace(TraceArgs),
    /// Show boards, programs, system processes and calls of a trace, while it grows or played again
    Top(Top),
    /// Write a trace, or two beside each other, as a page for a browser
    View(ViewArgs),
    /// Build the disk image, or the card images of real boards; inspect a card
    Image(ImageArgs),
    /// Prepare a cluster of real boards: system file, wiring plan, card images
    Cluster(RealClusterArgs),
    /// Write card images to cards, carefully; without arguments, list what could be written to
    Flash(Flash),
    /// Join this terminal with the serial lines of real boards
    Console(ConsoleArgs),
    /// List what this machine has and lacks for building, emulating, flashing and connecting boards
    Doctor(DoctorArgs),
    /// Build the book of `docs`, with the crates' documentation beside it, and print the path of its first page
    Docs,
    /// Write an archive that runs on machines without Rust: host programs, kernels, disk image, book
    Release(ReleaseArgs),
    /// Print the settings with which plain cargo builds for the boards
    Env,
    /// Print completions for a shell, or the manual pages
    Completions(Completions),
}

impl RengaCommand {
    /// Its name.
    pub fn name(&self) -> &'static str {
        match self {
            RengaCommand::Run(_) => "run",
            RengaCommand::Linux(_) => "linux",
            RengaCommand::Test(_) => "test",
            RengaCommand::Bench(_) => "bench",
            RengaCommand::Check(_) => "check",
            RengaCommand::System(_) => "system",
            RengaCommand::Sim(_) => "sim",
            RengaCommand::Crash(_) => "crash",
            RengaCommand::Sweep(_) => "sweep",
            RengaCommand::Trace(_) => "trace",
            RengaCommand::Top(_) => "top",
            RengaCommand::View(_) => "view",
            RengaCommand::Image(_) => "image",
            RengaCommand::Cluster(_) => "cluster",
            RengaCommand::Flash(_) => "flash",
            RengaCommand::Console(_) => "console",
            RengaCommand::Doctor(_) => "doctor",
            RengaCommand::Docs => "docs",
            RengaCommand::Release(_) => "release",
            RengaCommand::Env => "env",
            RengaCommand::Completions(_) => "completions",
        }
    }
}

/// Which cluster, in which time.
#[derive(Args, Debug, Clone)]
pub struct ClusterArgs {
    /// System: pair, trio, quad, octet, solo, or a file (see `renga check`)
    #[arg(long, default_value = "pair", value_name = "NAME|FILE.toml")]
    pub system: String,
    /// How fast its parts are.
    #[command(flatten)]
    pub profile: ProfileArgs,
    /// Seed of everything random; the same seed gives the same run
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
}

impl ClusterArgs {
    /// This system with the usual profile and seed.
    pub fn usual(system: &str) -> ClusterArgs {
        ClusterArgs { system: system.to_string(), profile: ProfileArgs::default(), seed: 1 }
    }
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
    /// Fuzz each target, or those whose names contain FILTER, for this time
    #[arg(long, value_name = "SECONDS")]
    pub fuzz_s: Option<u32>,
    /// Instead, what takes hours: all parts, or those named, as in `--long=octet,chaos`; FILTER chooses among their
    /// tests
    #[arg(long, value_enum, value_name = "PARTS", num_args = 0.., require_equals = true, value_delimiter = ',')]
    #[arg(conflicts_with_all = ["host", "miri", "fuzz_s"])]
    pub long: Option<Vec<LongPart>>,
    /// What to ask about mutants.
    #[command(flatten)]
    pub mutants: Mutants,
}

/// `renga test --mutants`
#[derive(Args, Debug, Clone, Default)]
pub struct Mutants {
    /// Instead, put small mistakes into the code, one at a time, and say which ones no host test sees
    #[arg(long, conflicts_with_all = ["host", "miri", "fuzz_s", "long", "filter"])]
    pub mutants: bool,
    /// Only mutants of this area; may be given several times
    #[arg(long, value_name = "AREA", requires = "mutants")]
    pub area: Vec<String>,
    /// Only so many mutants of each area, drawn by --seed
    #[arg(long, value_name = "COUNT", requires = "mutants")]
    pub sample: Option<usize>,
    /// Which mutants are drawn
    #[arg(long, value_name = "SEED", default_value_t = 1, requires = "mutants")]
    pub seed: u64,
    /// Only mutants of lines that have changed since this revision of git; exit with 1 if one is not seen
    #[arg(long, value_name = "REVISION", requires = "mutants")]
    pub since: Option<String>,
}

/// `renga bench`
#[derive(Args, Debug, Clone)]
pub struct Bench {
    /// What to measure
    #[command(subcommand)]
    pub what: BenchCommand,
}

/// What can be measured.
#[derive(Subcommand, Debug, Clone)]
pub enum BenchCommand {
    /// Exact instruction counts of rendezvous, interrupts and system calls on the booted image
    Rendezvous,
    /// A call between boards, split into wire, token and software; bulk rate
    Link(ClusterArgs),
    /// Instructions of the pins' driver for each access to them, counted on the booted image
    Pins,
    /// The emulator's speed on this host: two and eight boards that all compute
    Emulator,
    /// The bus on the boards' pins, against a model of pins: payload rates and latencies of every mode
    Bus(BusArgs),
    /// System calls and commands on boards a and b, beside Linux on the same emulated board
    Unix(Unix),
    /// Real workloads from board b with synchronous and asynchronous calls
    SyncAsync(ClusterArgs),
    /// The results of the paper on process networks, row by row: published, ours, verdict
    P1(Ledger),
    /// The results of the paper on background jobs, row by row: published, ours, verdict
    P2(Ledger),
    /// The results of the paper on noise by page reclamation, row by row: published, ours, verdict
    P3(Ledger),
    /// The results of the paper on controlling a program's speed through its I/O, row by row: published, ours, verdict
    P4(Ledger),
    /// The results of the paper on applications and OS on several cores: published, Linux's here, ours as far as
    /// measured
    P5(Ledger),
    /// Synchronous against asynchronous calls as a map: message size, boards, callers, the link's rate
    Map(Measuring),
    /// Four jobs on two boards: the time of each placement predicted from each job alone, and measured
    Placements(PlacementsArgs),
    /// Compiles and a parallel make on one, two, four and eight boards
    Scale(Measuring),
    /// Your own load under all combinations of settings: a table, a plot and a page
    Compare(Box<CompareArgs>),
    /// What changed between two sets of results; exit with 1 if anything did
    Diff(BenchDiff),
    /// A page of results, with plots, and the same as Markdown
    Report(ReportArgs),
}

/// `renga bench unix`
#[derive(Args, Debug, Clone)]
pub struct Unix {
    /// Only what has a bound; exit with 1 if one is worse than that
    #[arg(long)]
    pub short: bool,
    /// Write the figures as JSON into this file, or print them
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
}

/// `renga bench bus`
#[derive(Args, Debug, Clone)]
pub struct BusArgs {
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
    /// System: pair, trio, quad, octet, solo, or a file
    #[arg(default_value = "pair", value_name = "NAME|FILE.toml")]
    pub system: String,
    /// Write the who-calls-whom graph here, for `dot -Tsvg`
    #[arg(long, value_name = "FILE")]
    pub dot: Option<PathBuf>,
    /// Write the same facts as JSON into this file, or print them instead of the text
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
    /// Say what each figure of the memory for messages is, and what makes it smaller
    #[arg(short, long)]
    pub verbose: bool,
}

/// `renga doctor`
#[derive(Args, Debug, Clone)]
pub struct DoctorArgs {
    /// Write the findings as JSON into this file, or print them so instead of as text
    #[arg(long, value_name = "FILE", num_args = 0..=1, require_equals = true, default_missing_value = "-")]
    pub json: Option<PathBuf>,
}

/// `renga console`
#[derive(Args, Debug, Clone)]
pub struct ConsoleArgs {
    /// Serial ports of the boards' consoles, as in /dev/ttyUSB0=a
    #[arg(value_name = "PORT[=NAME]", required = true)]
    pub port: Vec<PortName>,
    /// A serial port that carries a kernel's log (may be repeated)
    #[arg(long, value_name = "PORT[=NAME]")]
    pub log_port: Vec<PortName>,
    /// The kernel that explains the logs; without it, the one that is built
    #[arg(long, value_name = "FILE")]
    pub elf: Option<PathBuf>,
    /// Write what each port says into files in this folder: NAME.serial as it comes, NAME.log decoded
    #[arg(long, value_name = "FOLDER")]
    pub out: Option<PathBuf>,
}
