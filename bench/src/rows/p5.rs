//! P5, figure 5: what a load on the core of an application costs its reads, on systems that place the OS's work
//! themselves and on one that does it where the application is.
//!
//! Invariant: a form is data: to measure one more, give it its machine. Not here: the figures (`p5_f5a`, `p5_f5b`).

use super::{RowPlan, ms};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::run::{BenchMachine, BenchRun, BenchSystem, LinuxForm, RunOutcome};
use anyhow::{Context, Result, ensure};

/// Random reads of 4 KiB that AP1 makes.
const READS: u32 = 100;
const PAGE_BYTES: usize = 4096;
/// What each AP reads of: of Linux's disk without content 4 GiB, of ours a file of its own that has enough for all of
/// its reads, since what was read is in the cache.
const LINUX_FILES: [P5File; 2] = [P5File { path: "/dev/nullb0", blocks: 1 << 20 }; 2];
const FILES: [P5File; 2] =
    [P5File { path: "/var/p5.1", blocks: 1 << 11 }, P5File { path: "/var/p5.2", blocks: 1 << 14 }];
/// Blocks of a file behind each of which is a block with their places.
const MAPPED_BLOCKS: u32 = 1 << 10;
/// The load process's pause, ms; and one that is longer, beside.
const PAUSE_MS: u32 = 1;
const LONG_PAUSE_MS: u32 = 2;
/// What it computes between two pauses, ms.
const LOADS_MS: [u32; 7] = [0, 1, 2, 3, 5, 7, 10];
const LOADS_SHORT_MS: [u32; 2] = [0, ALL_LOAD_MS];
const ALL_LOAD_MS: u32 = 10;
/// Times that each point is measured, with the load in another phase.
const REPEATS: u32 = 2;
/// A read of the medium, ns: chosen so that 100 reads without load take the paper's 14 ms on Linux.
const MEDIUM_NS: u32 = 124_600;
/// The model of ours that answers so, too.
const MEDIUM: &str = "null";
const INSTRUCTIONS_PER_MS: u32 = 1_000_000;
const NS_PER_MS: u32 = 1_000_000;
/// AP1's core, and the load process's.
const CORE: u32 = 0;
/// The quantities of claims, of a system whose OS's processes are elsewhere: its increase by all load to Linux's, and
/// its time without load.
const INCREASE: &str = "increase-to-linux";
const WITHOUT_LOAD: &str = "without-load-to-linux";

/// A file that is read.
#[derive(Clone, Copy)]
struct P5File {
    path: &'static str,
    blocks: u32,
}

/// Placement of the programs, and the system.
struct P5Form {
    /// A word, in labels.
    name: &'static str,
    /// What tables call it.
    title: &'static str,
    /// What runs it.
    machine: BenchMachine,
    /// AP2's core.
    core_2: u32,
}

const LINUX: BenchMachine =
    BenchMachine::Linux(LinuxForm { cores: 4, null_disk_ns: Some(MEDIUM_NS), ..LinuxForm::PLAIN });

/// One of our systems: the cores of the processes of applications and of the OS, of all that is the same.
const fn ours(base: &'static str) -> BenchMachine {
    BenchMachine::Cluster(BenchSystem { label: "as placed", base, edits: &[] })
}

const fn form(name: &'static str, title: &'static str, machine: BenchMachine, core_2: u32) -> P5Form {
    P5Form { name, title, machine, core_2 }
}

/// The two that a monolithic system can have, and the four of one whose OS is processes.
const FORMS: [P5Form; 6] = [
    form("linux-spread", "Linux, spread", LINUX, 1),
    form("linux-gathered", "Linux, gathered", LINUX, 0),
    form("gathered-gathered", "APs gathered, OS gathered", ours("p5-gathered-gathered"), 0),
    form("spread-gathered", "APs spread, OS gathered", ours("p5-spread-gathered"), 1),
    form("gathered-spread", "APs gathered, OS spread", ours("p5-gathered-spread"), 0),
    form("spread-spread", "APs spread, OS spread", ours("p5-spread-spread"), 3),
];
/// Of these, the one of the paper's figure for a monolithic system, and that for one of processes.
const MONOLITHIC: &str = "linux-spread";
const OF_PROCESSES: &str = "gathered-spread";
/// The short form has these two, and the OS's processes on the core of the load.
const SHORT_FORMS: [&str; 3] = [MONOLITHIC, "gathered-gathered", OF_PROCESSES];

/// The plot has these; the table has all.
const PLOTTED: [&str; 4] = [MONOLITHIC, "linux-gathered", "gathered-gathered", OF_PROCESSES];

fn forms(plan: RowPlan) -> Vec<&'static P5Form> {
    FORMS.iter().filter(|form| !plan.short || SHORT_FORMS.contains(&form.name)).collect()
}

/// One of the two figures.
pub struct P5Figure {
    /// What a plot calls it.
    pub title: &'static str,
    /// Instructions before each read.
    pub computed: u32,
    /// Published, ms: a monolithic system without and with all load, and one of processes.
    pub published: [[f64; 2]; 2],
}

/// What the load process does: computes and pauses so long, ms.
#[derive(Clone, Copy, PartialEq, Eq)]
struct P5Load {
    compute_ms: u32,
    pause_ms: u32,
}

impl P5Load {
    /// What of a core it takes, %.
    fn percent(self) -> f64 {
        f64::from(self.compute_ms) * 100.0 / f64::from(self.compute_ms + self.pause_ms)
    }
}

const ALL_LOAD: P5Load = P5Load { compute_ms: ALL_LOAD_MS, pause_ms: PAUSE_MS };
const LONG_PAUSES: P5Load = P5Load { compute_ms: ALL_LOAD_MS, pause_ms: LONG_PAUSE_MS };

/// Those of the figure.
fn loads(plan: RowPlan) -> Vec<P5Load> {
    let compute_ms = if plan.short { &LOADS_SHORT_MS[..] } else { &LOADS_MS };
    compute_ms.iter().map(|&compute_ms| P5Load { compute_ms, pause_ms: PAUSE_MS }).collect()
}

fn label(form: &P5Form, load: P5Load) -> String {
    let pause = if load.pause_ms == PAUSE_MS { String::new() } else { format!("-{}", load.pause_ms) };
    format!("{}-{}{pause}", form.name, load.compute_ms)
}

/// A run for each form.
pub fn runs(plan: RowPlan, figure: &P5Figure) -> Vec<BenchRun> {
    forms(plan).into_iter().map(|form| run(plan, figure, form)).collect()
}

fn run(plan: RowPlan, figure: &P5Figure, form: &P5Form) -> BenchRun {
    let ours = matches!(form.machine, BenchMachine::Cluster(_));
    let (files, mut script) = if ours {
        (FILES, warm_up())
    } else {
        // The load's share is its own, and not what Linux would leave to others.
        let script = "echo -1 > /proc/sys/kernel/sched_rt_runtime_us\n".to_string();
        (LINUX_FILES, script)
    };
    let [one, two] = files.map(|file| format!("{} {}", file.path, file.blocks));
    let repeats = if plan.short { 1 } else { REPEATS };
    for (point, load) in (0..).zip(loads(plan).into_iter().chain([LONG_PAUSES])) {
        let round: u32 = point * repeats;
        let (label, computed) = (label(form, load), load.compute_ms * INSTRUCTIONS_PER_MS);
        let (pause_ns, before, core_2) = (load.pause_ms * NS_PER_MS, figure.computed, form.core_2);
        script += &format!(
            "/usr/lib/renga/p5 reads {label} {one} {two} {round} {READS} {before} {computed} {pause_ns} {CORE} {core_2} {repeats} || exit 1\n"
        );
    }
    let run = BenchRun::new(form.machine, plan.profile, "small", &script);
    if ours { run.on_medium(MEDIUM).with(contents()) } else { run }
}

/// Reads a block of each part of the files whose places are in one block, so that these are known.
fn warm_up() -> String {
    let read =
        |file: P5File, skip| format!("dd if={} of=/dev/null bs={PAGE_BYTES} count=1 skip={skip} 2>&-\n", file.path);
    let parts = |file: P5File| (1..=file.blocks / MAPPED_BLOCKS).map(move |part| read(file, part * MAPPED_BLOCKS - 1));
    FILES.into_iter().flat_map(parts).collect()
}

/// Files without holes.
fn contents() -> Vec<(String, Vec<u8>)> {
    FILES.map(|file| (file.path.to_string(), vec![b'5'; file.blocks as usize * PAGE_BYTES])).to_vec()
}

/// The mean time of a point, ns.
fn mean_read_ns(form: &P5Form, load: P5Load, outcome: &RunOutcome) -> Result<u64> {
    let times = outcome.numbers(&format!("reads {} ", label(form, load)))?;
    let count = u64::try_from(times.len()).ok().filter(|count| *count > 0).context("no time was measured")?;
    Ok(times.iter().sum::<u64>() / count)
}

/// A form's times, ns: of each load of the figure, and with longer pauses.
struct P5Times {
    form: &'static P5Form,
    ns: Vec<u64>,
    long_pauses_ns: u64,
}

impl P5Times {
    fn of(plan: RowPlan, form: &'static P5Form, outcome: &RunOutcome) -> Result<P5Times> {
        let ns = loads(plan).into_iter().map(|load| mean_read_ns(form, load, outcome)).collect::<Result<_>>()?;
        let times = P5Times { form, ns, long_pauses_ns: mean_read_ns(form, LONG_PAUSES, outcome)? };
        let read_ns = times.ns.iter().copied().min().unwrap_or(0) / u64::from(READS);
        ensure!(read_ns > u64::from(MEDIUM_NS), "{}: {read_ns} ns a read: not all were of the medium", form.title);
        Ok(times)
    }
    fn without(&self) -> u64 {
        self.ns[0]
    }
    fn with_all(&self) -> u64 {
        self.ns[self.ns.len() - 1]
    }
}

/// Tables, curves, and what is aimed at.
pub fn evaluate(plan: RowPlan, figure: &P5Figure, outcomes: &[RunOutcome]) -> Result<Findings> {
    let forms = forms(plan);
    ensure!(outcomes.len() == forms.len(), "a run of each form is needed");
    let times = forms.into_iter().zip(outcomes).map(|(form, outcome)| P5Times::of(plan, form, outcome));
    let times: Vec<P5Times> = times.collect::<Result<_>>()?;
    let mut findings = Findings::default();
    for times in &times {
        for (load, ns) in loads(plan).iter().zip(&times.ns) {
            findings.figure(format!("{}, load {} ms, ns", times.form.title, load.compute_ms), *ns);
        }
    }
    findings.tables.push(by_load(plan, figure, &times));
    findings.tables.push(by_pause(figure, &times));
    findings.plots.push(plot(plan, figure, &times));
    report(&times, &mut findings)?;
    findings.notes = if figure.computed == 0 { notes() } else { vec!["P5.F5a explains the result.".to_string()] };
    Ok(findings)
}

fn by_load(plan: RowPlan, figure: &P5Figure, times: &[P5Times]) -> FindingsTable {
    let heads: Vec<String> = loads(plan).iter().map(|load| format!("{:.1} %", load.percent())).collect();
    let columns: Vec<&str> = std::iter::once("load of core 0").chain(heads.iter().map(String::as_str)).collect();
    let mut table = FindingsTable::new(format!("{READS} reads of AP1, ms"), &columns);
    table.columns.push("growth".to_string());
    for times in times {
        let row = [vec![times.form.title.to_string()], times.ns.iter().copied().map(ms).collect()].concat();
        table.rows.push([row, vec![growth(times.without() as f64, times.with_all() as f64)]].concat());
    }
    for (title, [without, with]) in PUBLISHED.iter().zip(figure.published) {
        let between = vec![String::new(); heads.len() - 2];
        let ends = [vec![without.to_string()], between, vec![with.to_string(), growth(without, with)]].concat();
        table.rows.push([vec![(*title).to_string()], ends].concat());
    }
    table
}

const PUBLISHED: [&str; 2] = ["published: Linux", "published: processes"];

/// How much AP1 gets done while the load pauses: all else follows from that.
fn by_pause(figure: &P5Figure, times: &[P5Times]) -> FindingsTable {
    let columns = ["with all load", "a read without load, us", "reads for each pause", "the same, pauses of 2 ms"];
    let mut table = FindingsTable::new("What AP1 gets done, and when it could at most", &columns);
    let reads =
        |ns: f64, load: P5Load| format!("{:.1}", f64::from(READS * (load.compute_ms + load.pause_ms) * NS_PER_MS) / ns);
    let row = |title: &str, without_ns: f64, all: String, long: String| {
        vec![title.to_string(), format!("{:.1}", without_ns / f64::from(READS) / 1e3), all, long]
    };
    for times in times {
        let all = reads(times.with_all() as f64, ALL_LOAD);
        let long = reads(times.long_pauses_ns as f64, LONG_PAUSES);
        table.rows.push(row(times.form.title, times.without() as f64, all, long));
    }
    for (title, [without, with]) in PUBLISHED.iter().zip(figure.published) {
        let all = reads(with * f64::from(NS_PER_MS), ALL_LOAD);
        table.rows.push(row(title, without * f64::from(NS_PER_MS), all, String::new()));
    }
    let [all, long] = [ALL_LOAD, LONG_PAUSES].map(|load| format!("{:.1}", reads_max(figure, load)));
    table.rows.push(row("at most, by the medium alone", f64::from(READS * (MEDIUM_NS + figure.computed)), all, long));
    table
}

/// So many reads fit into a pause if all but the medium and AP1's own computing takes no time: one more is answered
/// while the load computes.
fn reads_max(figure: &P5Figure, load: P5Load) -> f64 {
    f64::from(load.pause_ms * NS_PER_MS) / f64::from(MEDIUM_NS + figure.computed) + 1.0
}

fn plot(plan: RowPlan, figure: &P5Figure, times: &[P5Times]) -> Plot {
    let points = |times: &P5Times| {
        loads(plan).iter().map(|load| load.percent()).zip(times.ns.iter().map(|ns| *ns as f64 / 1e6)).collect()
    };
    let shown = times.iter().filter(|times| PLOTTED.contains(&times.form.name));
    let ours = shown.map(|times| Curve::new(times.form.title, points(times)));
    let published = PUBLISHED
        .iter()
        .zip(figure.published)
        .map(|(title, [without, with])| Curve::published(*title, vec![(0.0, without), (ALL_LOAD.percent(), with)]));
    Plot::new(figure.title, ["load of core 0, %", "time of 100 reads, ms"], ours.chain(published).collect())
}

/// What the paper says of a figure.
pub fn claims(figure: &P5Figure) -> Vec<Claim> {
    let [[without_1, with_1], [without_2, with_2]] = figure.published;
    let increase = (with_2 - without_2) / (with_1 - without_1);
    let quantity = |id, what: &str| Quantity::new(id, format!("APs gathered, OS spread: {what}"), "times");
    let without = quantity(WITHOUT_LOAD, "the time without load to Linux's");
    vec![
        Claim::paper(
            quantity(INCREASE, "the increase by all load to Linux's"),
            format!("{increase:.2}"),
            ClaimBound::AtMost(increase),
            "the published increases",
        ),
        Claim::paper(
            without,
            format!("{:.2}", without_2 / without_1),
            ClaimBound::AtMost(1.0),
            "the paper's system is not slower",
        ),
    ]
}

fn report(times: &[P5Times], findings: &mut Findings) -> Result<()> {
    let find = |name| times.iter().find(|times| times.form.name == name).context("both forms are needed");
    let (linux, processes) = (find(MONOLITHIC)?, find(OF_PROCESSES)?);
    let increase = |times: &P5Times| times.with_all() as f64 - times.without() as f64;
    match increase(linux) > 0.0 {
        true => findings.quantity(INCREASE, increase(processes) / increase(linux)),
        false => findings.unmeasured(INCREASE, "the load costs Linux nothing"),
    }
    findings.quantity(WITHOUT_LOAD, processes.without() as f64 / linux.without() as f64);
    Ok(())
}

fn growth(without: f64, with: f64) -> String {
    format!("{:.1}", with / without)
}

fn notes() -> Vec<String> {
    let medium = format!(
        "The medium answers {MEDIUM_NS} ns after each request, however many there are. This value makes the reads of \
         F5a without load take the paper's 14 ms on Linux; all else follows. AP1 begins when the load pauses. The \
         paper's text names the end points alone."
    );
    let missed = "The load outranks AP1, so AP1 issues a read only during a pause. A pause of 1 ms holds as many reads as the \
         medium completes in it, and one more, wherever the OS runs: the last line of the second table, which no \
         system exceeds. Half of Linux's increase would need about twice as many reads for each pause.";
    let published = "With full load the paper reports more reads for each pause of 1 ms than fit (second table). Pauses of 2 ms, \
         measured here too, give that number. The paper does not state whether its wait of 1 ms lasted until a \
         second timer tick.";
    vec![medium, missed.to_string(), published.to_string()]
}

#[cfg(test)]
mod tests;
