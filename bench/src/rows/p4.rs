//! P4: how near the speed that a program's I/O has comes to the one that was requested, and what others lose by it.
//!
//! Invariant: an experiment is data: the program's work, its paces, its competitors, its processor. One board runs all
//! of it, each time on uncached blocks. Not here: the figures (`p4_f2` and those that follow).

use super::{RowPlan, ms};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::phases;
use crate::run::{ALONE, BenchMachine, BenchRun, RunOutcome};
use anyhow::{Context, Result};
use std::ops::RangeInclusive;

/// What the measured program does.
#[derive(Clone, Copy)]
pub enum P4Io {
    /// Reads of 1 KB.
    Disk,
    /// Writes of so many bytes.
    Console(u32),
}

/// What paces it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum P4Pacing {
    /// `iospeed`: the system.
    System,
    /// The user library, preloaded into a dynamic program.
    Library {
        /// Its timer's resolution, us; 0: the system's.
        timer_us: u32,
        /// Version B: delays shorter than that are left out; else A: all are slept.
        skips: bool,
    },
}

/// What counts as near the request, %.
pub const NEAR_PERCENT: f64 = 1.0;
/// The paper's timer, us.
pub const TIMER_US: u32 = 10_000;
/// The library's versions, with the paper's timer and with ours.
pub const LIBRARIES: [(&str, P4Pacing); 3] = [
    ("Lib A, 10 ms", P4Pacing::Library { timer_us: TIMER_US, skips: false }),
    ("Lib B, 10 ms", P4Pacing::Library { timer_us: TIMER_US, skips: true }),
    ("Lib, our timer", P4Pacing::Library { timer_us: 0, skips: false }),
];

/// One experiment.
#[derive(Clone, Copy)]
pub struct P4Experiment {
    /// What tables call it.
    pub title: &'static str,
    /// What is done.
    pub io: P4Io,
    /// How often.
    pub count: u32,
    /// Factors, in thousandths.
    pub factors: &'static [u32],
    /// Whether all factors are measured at once, by a program each; else one after the other.
    pub at_once: bool,
    /// What runs meanwhile: a shell command without end; empty: nothing.
    pub beside: &'static str,
    /// How long an instruction takes, if it is not as the profile has it, ns.
    pub instruction_ns: Option<u32>,
    /// What paces the program.
    pub way: P4Pacing,
}

/// The first block that no file system's book is near, and how many each measurement has for itself.
const FIRST_BLOCK: u32 = 2_200;
const REGION: u32 = 1_100;
const NS_PER_US: u64 = 1_000;
/// What the first programs had read ahead is in memory when the second of these ends: the first measurement finds the
/// medium idle, as all others do.
const SETTLED: &str = "sleep 0.1\nsleep 0.1\n";

/// The script's word for a factor in thousandths.
fn word(factor: u32) -> String {
    format!("{}.{:03}", factor / 1_000, factor % 1_000)
}

/// A shell command that does `count` I/Os and prints their times as `label`, in windows of `window`; the blocks are of
/// region `region`.
pub fn command(io: P4Io, label: &str, [count, window, region]: [u32; 3]) -> String {
    match io {
        P4Io::Disk => format!("/usr/lib/renga/p4 disk {label} {count} {window} {}", first_block(region)),
        P4Io::Console(bytes) => format!("/usr/lib/renga/p4 console {label} {count} {window} {bytes}"),
    }
}

impl P4Pacing {
    /// What is done before all else.
    fn head(self) -> &'static str {
        match self {
            P4Pacing::System => {
                "/usr/lib/renga/p4 disk warm 1 1 2100\niospeed --factor 1 /usr/lib/renga/p4 compute warm 0\n"
            }
            P4Pacing::Library { .. } => {
                "tcc -shared -o iospeed.so /usr/lib/renga/iospeed.c && tcc -o io /p4/io.c || exit 1\n\
                 IOSPEED_FACTOR=1 LD_PRELOAD=./iospeed.so ./io disk warm 1 2100\n"
            }
        }
    }

    /// A run of a board's script.
    pub fn run(self, plan: RowPlan, script: &str) -> BenchRun {
        let files = vec![("/p4/io.c".to_string(), include_bytes!("p4/io.c").to_vec())];
        let head = self.head();
        let script = format!("{head}{SETTLED}{}{script}", phases::mark(phases::LONGEST_MS));
        BenchRun::new(BenchMachine::Cluster(ALONE), plan.profile, "dev", &script).with(files)
    }

    /// What is put before a command to have it paced.
    pub fn paced(self, factor: u32) -> String {
        let factor = word(factor);
        match self {
            P4Pacing::System => format!("iospeed --factor {factor} "),
            P4Pacing::Library { timer_us, skips } => format!(
                "env IOSPEED_FACTOR={factor} IOSPEED_TIMER_US={timer_us} IOSPEED_SKIP={} LD_PRELOAD=./iospeed.so ",
                u8::from(skips)
            ),
        }
    }

    /// A shell command that does `count` I/Os and prints their time as `label`; the blocks are of region `region`.
    fn command(self, io: P4Io, label: &str, count: u32, region: u32) -> String {
        match self {
            P4Pacing::System => command(io, label, [count, count, region]),
            P4Pacing::Library { .. } => match io {
                P4Io::Disk => format!("./io disk {label} {count} {}", first_block(region)),
                P4Io::Console(bytes) => format!("./io console {label} {count} {bytes}"),
            },
        }
    }

    /// One that reads without end.
    pub fn endless(self, region: u32) -> String {
        match self {
            P4Pacing::System => format!("/usr/lib/renga/p4 read {}", first_block(region)),
            P4Pacing::Library { .. } => format!("./io read {}", first_block(region)),
        }
    }
}

/// The start of a region of uncached blocks.
fn first_block(region: u32) -> u32 {
    FIRST_BLOCK + region * REGION
}

impl P4Experiment {
    /// Its run: without a factor, then each of `factors`.
    pub fn run(&self, plan: RowPlan, factors: &[u32]) -> BenchRun {
        let label = |factor: u32| format!("f{factor}");
        let mut script = self.way.command(self.io, "free", self.count, 0) + " || exit 1\n";
        if !self.beside.is_empty() {
            script += &format!("{} & load=$!\n", self.beside);
        }
        for (region, factor) in (1..).zip(factors) {
            let (paced, label) = (self.way.paced(*factor), label(*factor));
            let command = self.way.command(self.io, &label, self.count, region);
            script += &match self.at_once {
                true => format!("{paced}{command} > {label} & all=\"$all $!\"\n"),
                false => format!("{paced}{command} || exit 1\n"),
            };
        }
        if self.at_once {
            script += "for one in $all; do wait $one || exit 1; done; cat f*\n";
        }
        if !self.beside.is_empty() {
            script += "kill $load\n";
        }
        let run = self.way.run(plan, &script);
        self.instruction_ns.map_or(run.clone(), |instruction_ns| run.at_instruction_ns(instruction_ns))
    }

    /// The same, paced by the library's versions.
    pub fn with_libraries(self) -> Vec<P4Experiment> {
        let library = LIBRARIES.into_iter().map(|(title, way)| P4Experiment { title, way, ..self });
        std::iter::once(self).chain(library).collect()
    }

    /// The time without a factor, and of each factor, ns.
    pub fn measured(&self, outcome: &RunOutcome, factors: &[u32]) -> Result<P4Measurement> {
        let time = |label: &str| Ok::<u64, anyhow::Error>(times(outcome, label)?.iter().sum());
        let of = |factor: &u32| Ok((*factor, time(&format!("f{factor}"))?));
        Ok(P4Measurement {
            title: self.title,
            free_ns: time("free")?,
            own_ns: outcome.numbers("p4 free-own ")?.first().context("its own time is reported")? * NS_PER_US,
            times: factors.iter().map(of).collect::<Result<_>>()?,
        })
    }
}

/// The times that the program has printed as `label`, ns.
pub fn times(outcome: &RunOutcome, label: &str) -> Result<Vec<u64>> {
    let times = outcome.numbers(&format!("p4 {label} "))?;
    times.first().context("no time was reported")?;
    Ok(times)
}

/// What an experiment gave.
pub struct P4Measurement {
    title: &'static str,
    /// Without a factor, ns.
    pub free_ns: u64,
    /// Of that, what passed from one I/O to the next, by the program's own counter: no factor concerns it.
    own_ns: u64,
    /// Each factor, in thousandths, and its time, ns.
    pub times: Vec<(u32, u64)>,
}

impl P4Measurement {
    /// How much longer than requested it took with each factor, %; below 0: shorter. Requested is that its I/O takes so
    /// many times as long, as in the paper (3.3.1).
    pub fn differences(&self) -> impl Iterator<Item = (u32, f64)> + '_ {
        let io_ns = self.free_ns.saturating_sub(self.own_ns) as f64;
        let requested = move |factor: u32| self.own_ns as f64 + io_ns * f64::from(factor) / 1e3;
        self.times.iter().map(move |(factor, ns)| (*factor, 100.0 * (*ns as f64 / requested(*factor) - 1.0)))
    }

    /// The largest difference, %.
    pub fn worst(&self) -> f64 {
        self.worst_of(0..=u32::MAX)
    }

    /// The largest difference of these factors, %.
    pub fn worst_of(&self, factors: RangeInclusive<u32>) -> f64 {
        let those = self.differences().filter(|(factor, _)| factors.contains(factor));
        those.map(|(_, percent)| percent.abs()).fold(0.0, f64::max)
    }
}

/// What is aimed at of the largest difference from what was requested, of an experiment and of factors.
pub fn near(id: &str, what: &str) -> Claim {
    let quantity = Quantity::new(id, format!("the largest difference from what was requested, {what}"), "%");
    let reason = "a user does not notice 1 %";
    Claim::aim(quantity, ClaimBound::AtMost(NEAR_PERCENT), reason).exceeded(ClaimBound::AtMost(NEAR_PERCENT / 2.0))
}

/// A table and a plot of all, with their figures.
pub fn show(title: &str, all: &[P4Measurement]) -> Findings {
    let mut findings = Findings::default();
    let mut table = FindingsTable::new("Time, ms, and its deviation from the request", &["factor"]);
    table.columns.extend(all.iter().flat_map(|one| [one.title.to_string(), "differs".to_string()]));
    let free = all.iter().flat_map(|one| [ms(one.free_ns), String::new()]);
    table.rows.push(std::iter::once("none".to_string()).chain(free).collect());
    let lines = all.iter().map(|one| one.times.len()).max().unwrap_or(0);
    for line in 0..lines {
        let factor = all.iter().find_map(|one| Some(one.times.get(line)?.0)).unwrap_or(0);
        let mut row = vec![format!("{}", f64::from(factor) / 1e3)];
        for one in all {
            let cells = one.times.get(line).zip(one.differences().nth(line));
            row.extend(cells.map_or([String::new(), String::new()], |((_, ns), (_, percent))| {
                [ms(*ns), format!("{percent:+.2} %")]
            }));
        }
        table.rows.push(row);
    }
    findings.tables.push(table);
    let curve = |one: &P4Measurement| {
        Curve::new(
            one.title.to_string(),
            one.times.iter().map(|(factor, ns)| (f64::from(*factor) / 1e3, *ns as f64 / one.free_ns as f64)).collect(),
        )
    };
    let plot = Plot::new(
        title,
        ["requested factor, times", "time / time without a factor, times"],
        all.iter().map(curve).collect(),
    );
    findings.plots.push(plot.with_logarithmic([true, true]));
    for one in all {
        findings.figure(format!("{}: without a factor, ns", one.title), one.free_ns);
        findings.figure(format!("{}: of that, between its I/Os, ns", one.title), one.own_ns);
        one.times.iter().for_each(|(factor, ns)| {
            findings.figure(format!("{}: factor {}, ns", one.title, f64::from(*factor) / 1e3), *ns);
        });
    }
    findings
}

/// The meaning of the library's columns: printed with each row that has them.
pub const OF_LIBRARY: &str = "The library is userland/library/iospeed.c, preloaded into a dynamic program that does the same. A sleeps for \
     each delay, B only for those of at least the timer's resolution. With the paper's timer of 10 ms, sleeps end at \
     the next multiple of 10 ms. Ours has a resolution of a nanosecond, so A and B are one. The library reads the \
     clock twice for each I/O, by a system call, and counts part of that as the I/O's time.";

#[cfg(test)]
mod tests {
    use super::{P4Experiment, P4Io, P4Pacing, command};
    use crate::rows::RowPlan;
    use crate::run::{CostProfile, RunOutcome};

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: true };
    const ONE: P4Experiment = P4Experiment {
        title: "one",
        io: P4Io::Console(1),
        count: 5,
        factors: &[2_000, 10_500],
        at_once: false,
        beside: "sleep 9",
        instruction_ns: Some(4),
        way: P4Pacing::System,
    };

    #[test]
    fn p4_experiment_compares_times_with_request() {
        let run = ONE.run(PLAN, ONE.factors);
        assert!(
            run.script.contains("\nsleep 9 & load=$!\niospeed --factor 2.000 /usr/lib/renga/p4 console f2000 5 5 1 ||")
        );
        assert!(run.script.ends_with("--factor 10.500 /usr/lib/renga/p4 console f10500 5 5 1 || exit 1\nkill $load\n"));
        assert_eq!(run.instruction_ns, Some(4));
        let at_once = P4Experiment { at_once: true, beside: "", ..ONE }.run(PLAN, ONE.factors).script;
        let both = "console f2000 5 5 1 > f2000 & all=\"$all $!\"\niospeed --factor 10.500 /usr/lib/renga/p4 console f10500 5 5 1 > f10500 & ";
        assert!(at_once.contains(both) && at_once.ends_with("wait $one || exit 1; done; cat f*\n"), "{at_once}");
        let text = "....\np4 free 10100\np4 free-own 0\n.\np4 f2000 9000 11200\np4 f10500 116655\n".to_string();
        let measured = ONE.measured(&RunOutcome { text, trace: None }, ONE.factors).unwrap();
        let [two, ten] = measured.differences().collect::<Vec<_>>()[..] else { panic!("two factors") };
        assert!(two == (2_000, 0.0) && (ten.1 - 10.0).abs() < 1e-9, "{two:?} {ten:?}");
        assert!((measured.worst() - 10.0).abs() < 1e-9);
        assert!(ONE.measured(&RunOutcome::default(), ONE.factors).is_err());
        let text = "p4 free 3000\np4 free-own 1\np4 f2000 5000\np4 f10500 22000\n".to_string();
        let measured = ONE.measured(&RunOutcome { text, trace: None }, ONE.factors).unwrap();
        assert!(measured.worst() < 1e-9, "what the program does by itself is not stretched");
        assert_eq!(command(P4Io::Disk, "x", [7, 2, 1]), "/usr/lib/renga/p4 disk x 7 2 3300");
    }

    #[test]
    fn p4_library_is_compiled_and_preloaded() {
        let [system, a, b, ours] = ONE.with_libraries()[..] else { panic!("four ways") };
        assert!(system.way == P4Pacing::System && system.title == "one");
        for (one, wanted) in
            [(a, "TIMER_US=10000 IOSPEED_SKIP=0"), (b, "TIMER_US=10000 IOSPEED_SKIP=1"), (ours, "TIMER_US=0 ")]
        {
            let script = one.run(PLAN, ONE.factors).script;
            assert!(script.contains("\n./io console free 5 1 || exit 1\nsleep 9 & load=$!\n"), "{script}");
            let paced = "LD_PRELOAD=./iospeed.so ./io console f10500 5 1 || exit 1\n";
            assert!(script.contains(wanted) && script.contains(paced), "{script}");
        }
    }
}
