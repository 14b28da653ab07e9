//! One run, as data: which machine, which system, which script and files. And what came of it.
//!
//! Invariant: a run is identified by its parts; runs with the same parts give the same outcome, so that a cached one
//! need not be repeated. Not here: the execution.

pub use crate::linux_form::{CardTimes, LinuxForm};
use crate::moved_kinds::{self, MovedKind};
use anyhow::{Context, Result, bail};
use renga_profile::ProfileSetting;
use renga_trace::event::Timed;
use renga_trace::{TraceHeader, TraceReader};
use serde::{Deserialize, Serialize};
use std::fs;
use std::path::PathBuf;

/// What an instruction, the link and the medium take (docs/reference/profiles.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum CostProfile {
    /// A board of today's cheapest.
    #[serde(rename = "pi3")]
    Pi3,
    /// The machines of the paper.
    #[serde(rename = "paper-1989")]
    Paper1989,
}

impl CostProfile {
    /// As it is called in commands.
    pub fn name(self) -> &'static str {
        match self {
            CostProfile::Pi3 => "pi3",
            CostProfile::Paper1989 => "paper-1989",
        }
    }

    /// How long an instruction takes, ns.
    pub fn instruction_ns(self) -> u64 {
        match self {
            CostProfile::Pi3 => 1,
            CostProfile::Paper1989 => 1024,
        }
    }
}

/// A line of a system file that reads otherwise in a run: all of a line but the space around it.
pub type Edit = (&'static str, &'static str);

/// Boards and their processes: a file of `sysprocs/systems` with lines changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BenchSystem {
    /// What tables call it.
    pub label: &'static str,
    /// The file's name.
    pub base: &'static str,
    /// The lines that change.
    pub edits: &'static [Edit],
}

/// Two boards, as they are.
pub const OURS: BenchSystem = BenchSystem { label: "leases", base: "pair", edits: &[] };
/// Two boards, and b keeps nothing of files: the paper's configuration.
pub const PAPERS: BenchSystem = BenchSystem {
    label: "no leases",
    base: "pair",
    edits: &[("{ name = \"b\", message_kib = 1536 },", "{ name = \"b\", message_kib = 1536, leases = false },")],
};
/// Ours, and calls between boards that return nothing release their callers at once.
pub const OURS_ASYNC: BenchSystem = BenchSystem { label: "leases, async", base: "pair", edits: &[ASYNC] };
/// The paper's, and the same.
pub const PAPERS_ASYNC: BenchSystem =
    BenchSystem { label: "no leases, async", base: "pair", edits: &[PAPERS.edits[0], ASYNC] };
const ASYNC: Edit = ("mode = \"sync\"", "mode = \"async\"");
/// The paper's, also in that a call that returns data is two rendezvous between boards, one in each direction.
pub const PAIRED: BenchSystem = BenchSystem {
    label: "no leases, paired",
    base: "pair",
    edits: &[PAPERS.edits[0], ("mode = \"sync\"", "mode = \"sync\"\nmessages = \"paired\"")],
};
/// The same, and neither of the two is awaited to its end.
pub const PAIRED_ASYNC: BenchSystem = BenchSystem {
    label: "no leases, paired, async",
    base: "pair",
    edits: &[PAPERS.edits[0], ("mode = \"sync\"", "mode = \"async\"\nmessages = \"paired\"")],
};
/// One board.
pub const ALONE: BenchSystem = BenchSystem { label: "one board", base: "solo", edits: &[] };

impl BenchSystem {
    /// The system's text, derived from that of its file.
    ///
    /// # Errors
    /// If a line that changes is not there, or more than once.
    pub fn text(&self, base: &str) -> Result<String> {
        let mut lines: Vec<String> = base.lines().map(str::to_string).collect();
        for (old, new) in self.edits {
            let mut found = lines.iter_mut().filter(|line| line.split('#').next().unwrap_or("").trim() == *old);
            let line = found.next().with_context(|| format!("{}.toml has no line `{old}`", self.base))?;
            if found.next().is_some() {
                bail!("{}.toml has more than one line `{old}`", self.base);
            }
            *line = (*new).to_string();
        }
        Ok(lines.join("\n") + "\n")
    }
}

/// What runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BenchMachine {
    /// Renga's boards.
    Cluster(BenchSystem),
    /// Debian's Linux on one such board; only with [`Profile::Pi3`] and without a trace.
    Linux(LinuxForm),
}

/// Debian's Linux on a plain board.
pub const LINUX: BenchMachine = BenchMachine::Linux(LinuxForm::PLAIN);

/// One run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BenchRun {
    /// What runs.
    pub machine: BenchMachine,
    /// Kinds that are on other boards than the system's file says.
    pub moved: Vec<MovedKind>,
    /// How fast things are.
    pub profile: CostProfile,
    /// What differs from that, by the user's choice.
    pub settings: Vec<ProfileSetting>,
    /// The link's rate, if it is not the profile's.
    pub link_rate_bps: Option<u64>,
    /// How long an instruction takes, a power of two, if it is not as the profile has it, ns.
    pub instruction_ns: Option<u32>,
    /// The model of the disk's medium, if it is not the profile's.
    pub medium: Option<&'static str>,
    /// The emulator's slice for several cores (docs/design/emulator-and-virtual-time.md), if it is not its own choice,
    /// ns.
    pub core_slice_ns: Option<u64>,
    /// The image of `userland/images`.
    pub image: &'static str,
    /// The shell script; see [`SCRIPT_HEAD`].
    pub script: String,
    /// Further files of the disk: path, bytes.
    pub files: Vec<(String, Vec<u8>)>,
    /// The file [`STREAMED`] has so many MiB; 0: there is none.
    pub streamed_mib: u32,
    /// Whether its trace is kept.
    pub traced: bool,
    /// Seed of all randomness.
    pub seed: u64,
}

/// A file without holes for runs that stream one, of [`BenchRun::streamed_mib`].
pub const STREAMED: &str = "/var/streamed";

/// Before each script: `on BOARD COMMAND...`, and `timed LABEL COMMAND...`, whose line [`RunOutcome::measured`] reads.
const SCRIPT_HEAD: &str = "timed() { /usr/lib/renga/measure \"$@\" || exit 1; }\ncd /tmp\n";
const ON_BOARDS: &str = "on() { board=$1; shift; remote -b $board \"$@\" || exit 1; }\n";
const ON_LINUX: &str = "on() { shift; \"$@\" || exit 1; }\n";

impl BenchRun {
    /// A run of `script` with the files of the workloads.
    pub fn new(machine: BenchMachine, profile: CostProfile, image: &'static str, script: &str) -> BenchRun {
        let on = if matches!(machine, BenchMachine::Cluster(_)) { ON_BOARDS } else { ON_LINUX };
        let script = format!("{SCRIPT_HEAD}{on}{script}");
        let files = crate::workload::files();
        BenchRun {
            machine,
            moved: Vec::new(),
            profile,
            settings: Vec::new(),
            link_rate_bps: None,
            instruction_ns: None,
            medium: None,
            core_slice_ns: None,
            image,
            script,
            files,
            streamed_mib: 0,
            traced: false,
            seed: 1,
        }
    }

    /// The same on boards with other parameters; Linux has none.
    #[must_use]
    pub fn with_settings(self, settings: &[ProfileSetting]) -> BenchRun {
        match self.machine {
            BenchMachine::Cluster(_) => BenchRun { settings: settings.to_vec(), ..self },
            _ => self,
        }
    }

    /// The same, and these kinds are on other boards.
    pub fn with_moved(self, moved: Vec<MovedKind>) -> BenchRun {
        BenchRun { moved, ..self }
    }

    /// The text of its system, which is `system`, derived from that of its file.
    ///
    /// # Errors
    /// If a line that changes is not there, or more than once.
    pub fn system_text(&self, system: &BenchSystem, base: &str) -> Result<String> {
        moved_kinds::moved(&system.text(base)?, &self.moved)
    }

    /// The same over a link of this rate.
    pub fn at_rate(self, link_rate_bps: u64) -> BenchRun {
        BenchRun { link_rate_bps: Some(link_rate_bps), ..self }
    }

    /// The same on a slower processor, an instruction of which takes so long: a power of two.
    pub fn at_instruction_ns(self, instruction_ns: u32) -> BenchRun {
        BenchRun { instruction_ns: Some(instruction_ns), ..self }
    }

    /// The same with another medium.
    pub fn on_medium(self, medium: &'static str) -> BenchRun {
        BenchRun { medium: Some(medium), ..self }
    }

    /// The same where the cores of a board are closer to each other in time: messages between them take their real
    /// time.
    pub fn with_core_slice_ns(self, core_slice_ns: u64) -> BenchRun {
        BenchRun { core_slice_ns: Some(core_slice_ns), ..self }
    }

    /// The same, and its trace is kept.
    pub fn traced(self) -> BenchRun {
        BenchRun { traced: true, ..self }
    }

    /// The same with further files.
    pub fn with(mut self, files: Vec<(String, Vec<u8>)>) -> BenchRun {
        self.files.extend(files);
        self
    }

    /// The same with a large file to stream.
    pub fn streaming(self, streamed_mib: u32) -> BenchRun {
        BenchRun { streamed_mib, ..self }
    }

    /// What a person calls it.
    pub fn label(&self) -> String {
        match self.machine {
            BenchMachine::Cluster(system) => {
                let rate = self.link_rate_bps.map(|bps| format!(", {} Mbit/s", bps as f64 / 1e6)).unwrap_or_default();
                let instruction = self.instruction_ns.map(|ns| format!(", {ns} ns")).unwrap_or_default();
                let settings: String = self.settings.iter().map(|setting| format!(", {setting}")).collect();
                let moved = self.moved.len();
                let moved = if moved > 0 { format!(", {moved} kinds moved") } else { String::new() };
                let machine = format!("{} ({}{moved}), {}", system.base, system.label, self.profile.name());
                format!("{machine}{rate}{instruction}{settings}")
            }
            BenchMachine::Linux(form) => form.label(),
        }
    }
}

/// What came of a run.
#[derive(Clone, Debug, Default)]
pub struct RunOutcome {
    /// The disk board's console.
    pub text: String,
    /// Where its trace is, if it was kept.
    pub trace: Option<PathBuf>,
}

/// A line of `measure`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MeasureLine {
    /// When it began, by its board's clock, ns.
    pub begin_ns: u64,
    /// How long it took, ns.
    pub ns: u64,
    /// Rendezvous with other boards meanwhile, as its board's router counts them: in paired form two a call with data.
    pub calls: u64,
    /// Of those, the ones that are not awaited.
    pub asynchronous: u64,
    /// They that could be: they return nothing.
    pub could_be_asynchronous: u64,
}

impl RunOutcome {
    /// What `timed LABEL` measured.
    ///
    /// # Errors
    /// If it did not end well.
    pub fn measured(&self, label: &str) -> Result<MeasureLine> {
        let missing = || format!("no measurement of `{label}`; the run said:\n{}", self.text);
        let after =
            |start: String| self.text.lines().find_map(|line| line.trim_end().strip_prefix(&start).map(str::to_string));
        let begin = after(format!("measuring {label} at ")).with_context(missing)?;
        let rest = after(format!("measured {label} status 0 ns ")).with_context(missing)?;
        let (ns, counters) = rest.split_once(" counters").with_context(missing)?;
        let numbers: Vec<u64> = counters.split_whitespace().map_while(|word| word.parse().ok()).collect();
        let count = |which: usize| numbers.get(which).copied().unwrap_or(0);
        Ok(MeasureLine {
            begin_ns: begin.parse()?,
            ns: ns.parse()?,
            calls: count(0) + count(1),
            asynchronous: count(1),
            could_be_asynchronous: count(2),
        })
    }

    /// The numbers behind `start` of the first line with that start.
    ///
    /// # Errors
    /// If there is none.
    pub fn numbers(&self, start: &str) -> Result<Vec<u64>> {
        let line = self.text.lines().find_map(|line| line.trim_end().strip_prefix(start));
        let line = line.with_context(|| format!("no line `{start}...`; the run said:\n{}", self.text))?;
        line.split_whitespace().map(|word| word.parse().with_context(|| format!("`{start}{line}`"))).collect()
    }

    /// Its trace.
    ///
    /// # Errors
    /// If it was not kept or cannot be read.
    pub fn events(&self) -> Result<(TraceHeader, Vec<Timed>)> {
        self.with_trace(|header, events| Ok((header, events.collect::<Result<_>>()?)))
    }

    /// Passes the trace event by event to `read`; returns its result.
    ///
    /// # Errors
    /// If the trace was not kept or cannot be read, or `read` fails.
    pub fn with_trace<T>(
        &self,
        read: impl FnOnce(TraceHeader, &mut dyn Iterator<Item = Result<Timed>>) -> Result<T>,
    ) -> Result<T> {
        let path = self.trace.as_ref().context("this run's trace was not kept")?;
        let bytes = fs::read(path).with_context(|| format!("cannot read {}", path.display()))?;
        let reader = TraceReader::new(&bytes).with_context(|| path.display().to_string())?;
        let header = reader.header().clone();
        read(header, &mut reader.map(|event| event.with_context(|| path.display().to_string())))
    }
}

#[cfg(test)]
mod tests {
    use super::{BenchSystem, PAPERS, RunOutcome};

    #[test]
    fn run_paper_system_is_edit_of_ours() {
        let base = std::fs::read_to_string("../sysprocs/systems/pair.toml").unwrap();
        let text = PAPERS.text(&base).unwrap();
        let changed = base.lines().zip(text.lines()).filter(|(old, new)| old != new).count();
        assert_eq!((changed, base.lines().count()), (1, text.lines().count()));
        assert!(text.contains("leases = false"));
        for system in [super::OURS_ASYNC, super::PAPERS_ASYNC] {
            let text = system.text(&base).unwrap();
            let changed = base.lines().zip(text.lines()).filter(|(old, new)| old != new).count();
            assert_eq!(changed, system.edits.len(), "{}", system.label);
        }
        let twice = BenchSystem { label: "", base: "pair", edits: &[("", "x")] };
        assert!(twice.text(&base).unwrap_err().to_string().contains("more than one"));
        let never = BenchSystem { label: "", base: "pair", edits: &[("hello", "x")] };
        assert!(never.text(&base).unwrap_err().to_string().contains("no line"));
    }

    #[test]
    fn run_measurements_are_read_from_console() {
        let text = "measuring cc at 7\nhello\nmeasured cc status 0 ns 9 counters 5 1 4 totals 8 8 8\r\n\
                    measuring ls at 7\nmeasured ls status 1 ns 9 counters 5 1 4 totals 8 8 8\nstorm 3 12\n";
        let outcome = RunOutcome { text: text.to_string(), trace: None };
        let found = outcome.measured("cc").unwrap();
        assert_eq!((found.begin_ns, found.ns, found.calls), (7, 9, 6));
        assert_eq!((found.asynchronous, found.could_be_asynchronous), (1, 4));
        assert!(outcome.measured("ls").is_err() && outcome.measured("c").is_err());
        assert_eq!(outcome.numbers("storm ").unwrap(), [3, 12]);
        assert!(outcome.numbers("measured cc").is_err() && outcome.events().is_err());
    }
}
