//! P5.SCALE: one board with one to four cores, beside Linux on the same board. Beyond the paper.
//!
//! Invariant: the work is the same on each; only the number of cores and the system change. Not here: the placement of
//! programs on cores (`kernel/core`).

use super::{LedgerRow, RowPlan, ms};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::run::{ALONE, BenchMachine, BenchRun, BenchSystem, CostProfile, LinuxForm, RunOutcome};
use crate::thrice::{quicker, script};
use anyhow::{Result, ensure};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P5.SCALE",
    title: "Programs on one board with one to four cores, and on Linux there",
    published: "Nothing. Our goal: a speed-up of 3.9 for computing programs on four cores, of 2.5 for many small programs.",
    method: "Four loops of a shell at once; four shells with 80 small programs each; a pipeline of four stages; eight \
         readers that sum one file. Renga: `solo`; `solo4` with 2 to 4 cores for programs and user slots on one \
         core; `homes4` with user slots on all four. Linux: Debian's with as many cores. Each runs three times; the \
         faster of the last two counts. Cores are less than 2 us apart (slice: 4 us).",
    runs,
    further: None,
    claims,
    evaluate,
};

/// What is aimed at of the speed-up on four cores.
#[derive(Clone, Copy)]
struct SpeedUpAim {
    least: f64,
    /// From here on the aim is exceeded.
    exceeded: f64,
    reason: &'static str,
}

const COMPUTE: SpeedUpAim = SpeedUpAim { least: 3.9, exceeded: 3.95, reason: "programs that compute share nothing" };
const SMALL: SpeedUpAim =
    SpeedUpAim { least: 2.5, exceeded: 2.75, reason: "shared processes create programs, which may cost a third" };

fn claims(_: CostProfile) -> Vec<Claim> {
    let speed_up = |load: &P5ScaleLoad| {
        let SpeedUpAim { least, exceeded, reason } = load.aim?;
        let what = Quantity::new(
            format!("{}-speed-up", load.name),
            format!("{}: speed-up on four cores", load.title),
            "times",
        );
        Some(Claim::aim(what, ClaimBound::AtLeast(least), reason).exceeded(ClaimBound::AtLeast(exceeded)))
    };
    let to_linux = |load: &P5ScaleLoad| {
        let what = format!("{}: time on four cores to Linux's", load.title);
        let aim = Claim::aim(
            Quantity::new(format!("{}-to-linux", load.name), what, "times"),
            ClaimBound::AtMost(1.0),
            "Linux is the measure",
        );
        aim.exceeded(ClaimBound::AtMost(0.9))
    };
    LOADS.iter().filter_map(speed_up).chain(LOADS.iter().map(to_linux)).collect()
}

/// Linux's disk, which nothing here waits for, ns.
const NULL_DISK_NS: u32 = 100_000;
const CORES_MAX: u8 = 4;

/// Something to do: a word, what tables call it, the command.
struct P5ScaleLoad {
    name: &'static str,
    title: &'static str,
    command: &'static str,
    aim: Option<SpeedUpAim>,
}

const LOADS: [P5ScaleLoad; 4] = [
    P5ScaleLoad {
        name: "loops",
        title: "4 loops",
        command: "loop() { i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done; }; loop & loop & loop & loop & wait",
        aim: Some(COMPUTE),
    },
    P5ScaleLoad {
        name: "small",
        title: "320 small programs of 4 shells",
        command: "small() { n=0; while [ $n -lt 40 ]; do expr $n + 1 > /dev/null; wc -c /etc/passwd > /dev/null; n=$((n + 1)); done; }; \
                  small & small & small & small & wait",
        aim: Some(SMALL),
    },
    P5ScaleLoad {
        name: "pipe",
        title: "pipeline of 4 stages",
        command: "dd if=/dev/zero bs=64k count=40 | gzip -1 | gunzip | md5sum > /dev/null",
        aim: None,
    },
    P5ScaleLoad {
        name: "readers",
        title: "8 readers of one file",
        command: "for i in 1 2 3 4 5 6 7 8; do md5sum /bin/busybox > /dev/null & done; wait",
        aim: None,
    },
];

const ALL_CORES: &str = "boards = [{ name = \"a\", disk = true, cores = 4, programs = [0, 1, 2, 3] }]";
const FOUR: BenchSystem = BenchSystem { label: "4 cores", base: "solo4", edits: &[] };
const THREE: BenchSystem = BenchSystem {
    label: "3 cores",
    edits: &[(ALL_CORES, "boards = [{ name = \"a\", disk = true, cores = 4, programs = [0, 1, 2] }]")],
    ..FOUR
};
const TWO: BenchSystem = BenchSystem {
    label: "2 cores",
    edits: &[(ALL_CORES, "boards = [{ name = \"a\", disk = true, cores = 4, programs = [0, 1] }]")],
    ..FOUR
};
/// As many homes as cores.
const HOMES: BenchSystem = BenchSystem { label: "4 homes", base: "homes4", edits: &[] };
/// Messages between cores take less than half a microsecond: the emulator's own slice would hide that.
const CORE_SLICE_NS: u64 = 4_000;
/// Ours, from one core to four.
const OURS: [BenchSystem; CORES_MAX as usize] = [ALONE, TWO, THREE, FOUR];

/// Numbers of cores.
fn cores(plan: RowPlan) -> &'static [u8] {
    if plan.short { &[1, 4] } else { &[1, 2, 3, 4] }
}

fn machines(cores: u8) -> [BenchMachine; 2] {
    [
        BenchMachine::Cluster(OURS[usize::from(cores) - 1]),
        BenchMachine::Linux(LinuxForm { cores, null_disk_ns: Some(NULL_DISK_NS), ..LinuxForm::PLAIN }),
    ]
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let text: String = LOADS.iter().map(|load| script(load.name, load.command)).collect();
    let all = cores(plan).iter().flat_map(|cores| machines(*cores)).chain([BenchMachine::Cluster(HOMES)]);
    let run = |machine| BenchRun::new(machine, plan.profile, "small", &text).with_core_slice_ns(CORE_SLICE_NS);
    all.map(run).collect()
}

/// What a load takes, ns.
struct P5ScaleTimes {
    /// On each number of cores: on ours with one home, on Linux.
    by_cores: [Vec<u64>; 2],
    /// On ours with four homes.
    homes_ns: u64,
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    ensure!(outcomes.len() == 2 * cores(plan).len() + 1, "a run of each system with each number of cores is needed");
    let mut findings = Findings::default();
    let heads: Vec<String> = cores(plan).iter().map(u8::to_string).collect();
    let mut table = FindingsTable::new("Until all is done, ms, by cores; in brackets: speed-up", &["", "on"]);
    table.columns.extend(heads);
    table.columns.push("4 homes".to_string());
    for load in &LOADS {
        let times = times(load, outcomes)?;
        let mut plot = Plot::new(format!("{}: speed-up", load.title), ["cores", "speed-up, times"], Vec::new());
        for (who, ns) in ["Renga", "Linux"].iter().zip(&times.by_cores) {
            let text = |time: &u64| format!("{} ({:.2})", ms(*time), fold(ns[0], *time));
            let homes = if *who == "Renga" { text(&times.homes_ns) } else { String::new() };
            let by_cores = ns.iter().map(text).chain([homes]).collect();
            table.rows.push([vec![load.title.to_string(), (*who).to_string()], by_cores].concat());
            for (cores, ns) in cores(plan).iter().zip(ns) {
                findings.figure(format!("{} on {who}, {cores} cores, ns", load.name), *ns);
            }
            let points = cores(plan).iter().zip(ns).map(|(cores, time)| (f64::from(*cores), fold(ns[0], *time)));
            plot.curves.push(Curve::new(*who, points.collect()));
        }
        let homes = vec![(1.0, 1.0), (f64::from(CORES_MAX), fold(times.by_cores[0][0], times.homes_ns))];
        plot.curves.push(Curve::new("Renga, 4 homes", homes));
        findings.plots.push(plot);
        findings.figure(format!("{} on Renga, 4 homes, ns", load.name), times.homes_ns);
        report(load, &times, &mut findings);
    }
    findings.tables.push(table);
    findings.notes.push(
        "With one home core, core 0 serves the system calls of all programs, so programs' calls limit the speed-up, \
         above all process creation. With four home cores each serves its own programs, and calls to shared servers, \
         above all of page frames and files, cross cores."
            .to_string(),
    );
    Ok(findings)
}

fn times(load: &P5ScaleLoad, outcomes: &[RunOutcome]) -> Result<P5ScaleTimes> {
    let (by_cores, homes) = outcomes.split_at(outcomes.len() - 1);
    let of = |outcome: &RunOutcome| -> Result<u64> { Ok(quicker(outcome, load.name)?.1.ns) };
    let who = |which: usize| by_cores.iter().skip(which).step_by(2).map(of).collect::<Result<Vec<u64>>>();
    Ok(P5ScaleTimes { by_cores: [who(0)?, who(1)?], homes_ns: of(&homes[0])? })
}

fn fold(alone_ns: u64, ns: u64) -> f64 {
    alone_ns as f64 / ns as f64
}

/// The quantities of a load, with four homes.
fn report(load: &P5ScaleLoad, times: &P5ScaleTimes, findings: &mut Findings) {
    let [ours, linux] = &times.by_cores;
    if load.aim.is_some() {
        findings.quantity(format!("{}-speed-up", load.name), fold(ours[0], times.homes_ns));
    }
    if let Some(linux_ns) = linux.last() {
        findings.quantity(format!("{}-to-linux", load.name), times.homes_ns as f64 / *linux_ns as f64);
    }
}

#[cfg(test)]
mod tests {
    use super::{LOADS, evaluate, runs};
    use crate::rows::RowPlan;
    use crate::run::{BenchMachine, CostProfile, RunOutcome};

    const PLAN: RowPlan = RowPlan { profile: CostProfile::Pi3, short: true };

    #[test]
    fn p5_scale_loads_are_judged_beside_linux() {
        let said = |ns: u64| {
            let line = |load: &super::P5ScaleLoad, at: u32| {
                format!("measuring {0}-{at} at 5\nmeasured {0}-{at} status 0 ns {ns} counters 0\n", load.name)
            };
            let text = LOADS.iter().flat_map(|load| (1..=3).map(move |at| line(load, at))).collect();
            RunOutcome { text, trace: None }
        };
        let outcomes = [40_000_000, 44_000_000, 20_000_000, 11_500_000, 10_000_000].map(said);
        let found = evaluate(PLAN, &outcomes).unwrap();
        assert_eq!(found.tables[0].rows[0], ["4 loops", "Renga", "40.00 (1.00)", "20.00 (2.00)", "10.00 (4.00)"]);
        assert_eq!(found.tables[0].rows[1], ["4 loops", "Linux", "44.00 (1.00)", "11.50 (3.83)", ""]);
        assert_eq!((&found.measured["loops-speed-up"], &found.measured["small-speed-up"]), (&Ok(4.0), &Ok(4.0)));
        assert_eq!((found.measured.len(), &found.measured["pipe-to-linux"]), (6, &Ok(10.0 / 11.5)));
        assert_eq!(found.figures["pipe on Linux, 4 cores, ns"], 11_500_000);
        assert!(evaluate(PLAN, &outcomes[1..]).is_err());
    }

    #[test]
    fn p5_scale_systems_have_stated_cores() {
        let base = |name: &str| std::fs::read_to_string(format!("../sysprocs/systems/{name}.toml")).unwrap();
        let listed = |machine: BenchMachine| match machine {
            BenchMachine::Cluster(system) => {
                let text = system.text(&base(system.base)).unwrap();
                let list = text.split_once("programs = [").map_or("0", |(_, rest)| rest.split(']').next().unwrap());
                list.split(',').count()
            }
            BenchMachine::Linux(form) => usize::from(form.cores),
        };
        let whole = runs(RowPlan { short: false, ..PLAN });
        assert_eq!(whole.into_iter().map(|run| listed(run.machine)).collect::<Vec<_>>(), [1, 1, 2, 2, 3, 3, 4, 4, 4]);
    }
}
