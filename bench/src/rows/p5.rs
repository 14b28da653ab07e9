//! P5, figure 5: what a load on the core of an application costs its reads, on systems that place the OS's work themselves and on
//! one that does it where the application is.
//!
//! Invariant: a form is data: to measure one more, give it its machine. Not here: the figures (`p5_f5a`, `p5_f5b`).

use super::{Plan, ms};
use crate::findings::{Curve, Findings, Plot, Table};
use crate::run::{Machine, Outcome, Run};
use anyhow::{Context, Result, ensure};

/// Random reads of 4 KiB that AP1 makes.
const READS: u32 = 100;
/// Blocks that it chooses from: 4 GiB.
const BLOCKS: u32 = 1 << 20;
/// The load process's pause, ms.
const PAUSE_MS: u32 = 1;
/// What it computes between two pauses, ms.
const LOADS_MS: [u32; 7] = [0, 1, 2, 3, 5, 7, 10];
const LOADS_SHORT_MS: [u32; 2] = [0, 10];
/// Times that each point is measured, with the load in another phase.
const REPEATS: u32 = 2;
/// A read of the medium, ns: chosen so that 100 reads without load take the paper's 14 ms.
const MEDIUM_NS: u32 = 124_600;
const INSTRUCTIONS_PER_MS: u32 = 1_000_000;
/// AP1's core, and the load process's.
const CORE: u32 = 0;

/// Who is where, and on which system.
struct Form {
    /// A word, in labels.
    name: &'static str,
    /// What tables call it.
    title: &'static str,
    /// What runs it; none: it was not measured yet.
    machine: Option<Machine>,
    /// AP2's core.
    core_2: u32,
}

const LINUX: Option<Machine> = Some(Machine::LinuxOfCores { cores: 4, null_disk_ns: MEDIUM_NS });

/// The two that a monolithic system can have, and the four of one whose OS is processes.
const FORMS: [Form; 6] = [
    Form { name: "linux-spread", title: "Linux, spread", machine: LINUX, core_2: 1 },
    Form { name: "linux-gathered", title: "Linux, gathered", machine: LINUX, core_2: 0 },
    Form { name: "gathered-gathered", title: "APs gathered, OS gathered", machine: None, core_2: 0 },
    Form { name: "spread-gathered", title: "APs spread, OS gathered", machine: None, core_2: 1 },
    Form { name: "gathered-spread", title: "APs gathered, OS spread", machine: None, core_2: 0 },
    Form { name: "spread-spread", title: "APs spread, OS spread", machine: None, core_2: 1 },
];

/// One of the two figures.
pub struct Figure {
    /// What a plot calls it.
    pub title: &'static str,
    /// Instructions before each read.
    pub computed: u32,
    /// Published, ms: a monolithic system without and with all load, and one of processes.
    pub published: [[f64; 2]; 2],
}

fn loads(plan: Plan) -> &'static [u32] {
    if plan.short { &LOADS_SHORT_MS } else { &LOADS_MS }
}

/// What of a core the load process takes, %.
fn percent(load_ms: u32) -> f64 {
    f64::from(load_ms) * 100.0 / f64::from(load_ms + PAUSE_MS)
}

fn measured() -> impl Iterator<Item = (&'static Form, Machine)> {
    FORMS.iter().filter_map(|form| Some((form, form.machine?)))
}

fn label(form: &Form, load_ms: u32) -> String {
    format!("{}-{load_ms}", form.name)
}

/// A run for each form that has a machine.
pub fn runs(plan: Plan, figure: &Figure) -> Vec<Run> {
    let run = |(form, machine): (&Form, Machine)| {
        // The load's share is its own, and not what Linux would leave to others.
        let mut script = "echo -1 > /proc/sys/kernel/sched_rt_runtime_us\n".to_string();
        let repeats = if plan.short { 1 } else { REPEATS };
        for load_ms in loads(plan) {
            let (label, load) = (label(form, *load_ms), load_ms * INSTRUCTIONS_PER_MS);
            let Figure { computed, .. } = figure;
            let core_2 = form.core_2;
            script += &format!(
                "/usr/lib/renga/p5 reads {label} /dev/nullb0 {BLOCKS} {READS} {computed} {load} {CORE} {core_2} {repeats} || exit 1\n"
            );
        }
        Run::new(machine, plan.profile, "small", &script)
    };
    measured().map(run).collect()
}

/// The mean time of each load, ns.
fn means(plan: Plan, form: &Form, outcome: &Outcome) -> Result<Vec<u64>> {
    let mean = |load_ms: &u32| {
        let times = outcome.numbers(&format!("reads {} ", label(form, *load_ms)))?;
        let count = u64::try_from(times.len()).ok().filter(|count| *count > 0).context("no time was measured")?;
        Ok(times.iter().sum::<u64>() / count)
    };
    loads(plan).iter().map(mean).collect()
}

/// Tables and curves; a verdict needs the forms that were not measured yet.
pub fn judge(plan: Plan, figure: &Figure, outcomes: &[Outcome]) -> Result<Findings> {
    ensure!(outcomes.len() == measured().count(), "a run of each form is needed");
    let mut findings = Findings::default();
    let heads: Vec<String> = loads(plan).iter().map(|load_ms| format!("{:.1} %", percent(*load_ms))).collect();
    let columns: Vec<&str> = std::iter::once("load of core 0").chain(heads.iter().map(String::as_str)).collect();
    let mut table = Table::new(format!("{READS} reads of AP1, ms"), &columns);
    table.columns.push("growth".to_string());
    let mut curves = Vec::new();
    for ((form, _), outcome) in measured().zip(outcomes) {
        let ns = means(plan, form, outcome)?;
        for (load_ms, ns) in loads(plan).iter().zip(&ns) {
            findings.figure(format!("{}, load {load_ms} ms, ns", form.title), *ns);
        }
        let mut row = vec![form.title.to_string()];
        row.extend(ns.iter().copied().map(ms));
        row.push(growth(ns[0] as f64, ns[ns.len() - 1] as f64));
        table.rows.push(row);
        let xs = loads(plan).iter().map(|load_ms| percent(*load_ms));
        let points = xs.zip(ns.iter().map(|ns| *ns as f64 / 1e6)).collect();
        curves.push(Curve { label: form.title.to_string(), points });
    }
    for form in FORMS.iter().filter(|form| form.machine.is_none()) {
        table.rows.push([vec![form.title.to_string()], vec!["-".to_string(); heads.len() + 1]].concat());
    }
    for (title, [without, with]) in ["published: Linux", "published: processes"].iter().zip(figure.published) {
        let between = vec![String::new(); heads.len() - 2];
        let ends = [vec![without.to_string()], between, vec![with.to_string(), growth(without, with)]].concat();
        table.rows.push([vec![(*title).to_string()], ends].concat());
        curves.push(Curve { label: (*title).to_string(), points: vec![(0.0, without), (percent(10), with)] });
    }
    findings.tables.push(table);
    findings.plots.push(Plot {
        title: figure.title.to_string(),
        axes: ["load of core 0, %".to_string(), "100 reads, ms".to_string()],
        curves,
    });
    findings.notes = notes();
    Ok(findings)
}

fn growth(without: f64, with: f64) -> String {
    format!("{:.1}", with / without)
}

fn notes() -> Vec<String> {
    let open: Vec<&str> = FORMS.iter().filter(|form| form.machine.is_none()).map(|form| form.title).collect();
    let not_measured = format!("not measured yet, so without a verdict: {}", open.join("; "));
    let medium = format!(
        "The medium answers {MEDIUM_NS} ns after it was asked, which is chosen so that the reads of F5a without load take the \
         paper's 14 ms; all else follows. AP1 begins when the load pauses. The paper's text names the end points alone."
    );
    vec![not_measured, medium]
}

#[cfg(test)]
mod tests {
    use super::{FORMS, Figure, judge, measured, runs};
    use crate::rows::Plan;
    use crate::run::{Outcome, Profile};

    const FIGURE: Figure = Figure { title: "t", computed: 7, published: [[14.0, 130.0], [14.0, 72.0]] };
    const PLAN: Plan = Plan { profile: Profile::Pi3, short: true };

    #[test]
    fn what_was_measured_stands_beside_what_was_published_and_what_is_open() {
        let said = |name: &str| format!("reads {name}-0 10000000 20000000\nreads {name}-10 150000000\n");
        let outcome = |(form, _): (&super::Form, _)| Outcome { text: said(form.name), trace: None };
        let outcomes: Vec<Outcome> = measured().map(outcome).collect();
        let found = judge(PLAN, &FIGURE, &outcomes).unwrap();
        let [table] = &found.tables[..] else { panic!("one table") };
        assert_eq!(table.rows[0], ["Linux, spread", "15.00", "150.00", "10.0"]);
        assert_eq!(table.rows[FORMS.len()], ["published: Linux", "14", "130", "9.3"]);
        assert_eq!(table.rows.iter().filter(|row| row[1] == "-").count(), 4);
        assert!(table.rows.iter().all(|row| row.len() == table.columns.len()), "{table}");
        assert!(found.verdict().is_none() && found.notes[0].contains("OS gathered"), "{found}");
        assert_eq!(found.figures["Linux, gathered, load 10 ms, ns"], 150_000_000);
        assert!(judge(PLAN, &FIGURE, &outcomes[1..]).is_err());
    }

    #[test]
    fn each_form_that_has_a_machine_is_run_with_the_load_before_it_sleeps() {
        let runs = runs(PLAN, &FIGURE);
        assert_eq!(runs.len(), 2);
        assert!(runs[1].script.contains("reads linux-gathered-10 /dev/nullb0 1048576 100 7 10000000 0 0 1 ||"));
    }
}
