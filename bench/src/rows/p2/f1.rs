//! P2.F1: how often contention is detected rightly, over thresholds: of the disk and the processor, and of the link and
//! the processor.
//!
//! A program in front and a job use the disk, or send, for one to eight eighths of the time. Each pair, and each job
//! alone, is sampled some times while no job is suspended. The row computes the decision for each sample and each pair
//! of thresholds.
//!
//! Invariant: the rule is that of the regulator, on its own published figures. Not here: the regulator
//! (`renga_regulator`).

use super::super::{LedgerRow, RowPlan, mean};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Findings, FindingsTable, HeatMap, Panel};
use crate::phases;
use crate::run::{ALONE, BenchMachine, BenchRun, BenchSystem, CostProfile, OURS, RunOutcome};
use anyhow::{Context, Result, ensure};

/// The row.
pub const ROW: LedgerRow = LedgerRow {
    id: "P2.F1",
    title: "How often contention is detected correctly, over thresholds",
    published: "For the disk its own threshold decides, and 100 % is best. For the network both its own and the processor's \
         matter. The paper chose 80 to 90 % for the processor and 100 % for the others.",
    method: "Programs read a byte every 8 KB of the disk, or send pieces of 4 KB, for 1 to 8 eighths of each 40 ms. All \
         64 pairs of foreground and job run, and the 8 jobs alone, with 6 samples of 100 ms each while no job is \
         stopped. A sample is right if it reports contention beside a foreground and none without. The processor's \
         share counts only below 25 % idle, as in the paper (4.3).",
    runs,
    further: None,
    claims,
    evaluate,
};

const EIGHTHS: u32 = 8;
const SAMPLES: usize = 6;
/// Of the processor's idle time, %: more, and its share does not count.
const IDLE: u64 = 25;
/// Thresholds that are tried, %.
const STEP: u64 = 10;
const MOST: u64 = 100;
/// The paper's, %; the processor's is between its 80 and 90.
const CHOSEN: [u64; 2] = [85, 100];

/// A threshold that changes the accuracy by less changes nothing: a handful of samples.
const CHANGE: f64 = 0.05;

fn claims(_: CostProfile) -> Vec<Claim> {
    let chosen = |load: &P2Load| {
        let what = format!("{}: right at the paper's thresholds to right at the best", load.title);
        let reason = "a hundredth is four samples";
        Claim::paper(
            Quantity::new(format!("chosen-{}", load.name), what, "share"),
            "1",
            ClaimBound::AtLeast(0.99),
            reason,
        )
    };
    let own = Quantity::new("disk-own", "disk: what its own threshold changes more than the processor's", "share");
    let both = Quantity::new("link-both", "link: what the less important threshold changes", "share");
    let mut claims: Vec<Claim> = LOADS.iter().map(chosen).collect();
    let reason = "a smaller change is a handful of samples";
    claims.push(Claim::paper(own, "its own decides", ClaimBound::AtLeast(CHANGE), reason));
    claims.push(Claim::paper(both, "both matter", ClaimBound::AtLeast(CHANGE), reason));
    claims
}

/// A program that uses a resource for a part of the time.
struct P2Load {
    name: &'static str,
    title: &'static str,
    system: BenchSystem,
    /// Shell: `$1` eighths, `$2` ms, `$3` a word that all have for themselves.
    script: &'static str,
    /// Which of the state's shares is its resource's.
    column: usize,
}

const LOADS: [P2Load; 2] = [
    P2Load {
        name: "disk",
        title: "disk",
        system: ALONE,
        script: "exec /usr/lib/renga/p2 disk $1 $2 $((2200 + $3 * 18000))\n",
        column: 1,
    },
    P2Load {
        name: "send",
        title: "link",
        system: OURS,
        script: "exec remote -b b sh -c \"remote -b a /usr/lib/renga/p2 send $1 $2 | cat > /dev/null\"\n",
        column: 2,
    },
];

/// Samples a pair: board a's figures of the last 100 ms. The samplers' own names are ignored.
const HEAD: &str = r#"background --policy off
background --ignore sh sleep measure remote
look() {
  sleep 0.3; n=0
  while [ $n -lt LOOKS ]; do
    sleep 0.1
    { read -r line; read -r board idle cpu disk link rest; } < /proc/renga/background/state
    shares="$shares $idle $cpu $disk $link"; n=$((n + 1))
  done
  echo "look-$1-$2 $(echo $shares | tr - 0)"; shares=
}
"#;
/// As long as a pair runs, ms.
const PAIR_MS: u32 = 1_200;

fn eighths(plan: RowPlan) -> Vec<u32> {
    if plan.short { vec![1, EIGHTHS] } else { (1..=EIGHTHS).collect() }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let of = |load: &P2Load| {
        let mut script = HEAD.replace("LOOKS", &SAMPLES.to_string()) + &phases::mark(phases::LONGEST_MS);
        for job in eighths(plan) {
            for front in std::iter::once(0).chain(eighths(plan)) {
                script += &format!("background sh /p2/{} {job} {PAIR_MS} 1 & job=$!\n", load.name);
                if front > 0 {
                    script += &format!("sh /p2/{} {front} {PAIR_MS} 0 &\n", load.name);
                }
                script += &format!("look {job} {front}\nwait\n");
            }
        }
        let file = (format!("/p2/{}", load.name), load.script.as_bytes().to_vec());
        BenchRun::new(BenchMachine::Cluster(load.system), plan.profile, "dev", &script).with(vec![file])
    };
    LOADS.iter().map(of).collect()
}

/// How idle the processor was, and the jobs' share of it, of the disk, of the link, %.
type Shares = [u64; 4];

/// The samples of all pairs, and whether there was a foreground.
fn samples(plan: RowPlan, outcome: &RunOutcome) -> Result<Vec<(bool, Shares)>> {
    let mut all = Vec::new();
    for job in eighths(plan) {
        for front in std::iter::once(0).chain(eighths(plan)) {
            let numbers = outcome.numbers(&format!("look-{job}-{front} "))?;
            let (samples, []) = numbers.as_chunks::<4>() else { anyhow::bail!("{numbers:?}") };
            ensure!(samples.len() == SAMPLES, "{} samples", samples.len());
            all.extend(samples.iter().map(|sample| (front > 0, *sample)));
        }
    }
    Ok(all)
}

/// Whether the rule detects contention by jobs, with thresholds of the processor and of the resource at `column`. A
/// share of 0 is no job's.
fn is_contended([idle, cpu, disk, link]: Shares, column: usize, [of_cpu, of_resource]: [u64; 2]) -> bool {
    let share = [cpu, disk, link][column];
    (share > 0 && share < of_resource) || (cpu > 0 && cpu < of_cpu && idle < IDLE)
}

/// The share of samples that are right, those with and those without a foreground counting the same.
fn accuracy(samples: &[(bool, Shares)], column: usize, thresholds: [u64; 2]) -> f64 {
    let part = |with: bool| {
        let those: Vec<bool> = samples
            .iter()
            .filter(|(front, _)| *front == with)
            .map(|(_, sample)| is_contended(*sample, column, thresholds) == with)
            .collect();
        those.iter().filter(|right| **right).count() as f64 / those.len().max(1) as f64
    };
    (part(true) + part(false)) / 2.0
}

/// How much the accuracy changes along each threshold, on the average over the other: the processor's, the resource's.
fn matters(grid: &[Vec<f64>]) -> [f64; 2] {
    let span = |values: &[f64]| {
        values.iter().copied().fold(f64::MIN, f64::max) - values.iter().copied().fold(f64::MAX, f64::min)
    };
    let columns = grid.first().map_or(0, Vec::len);
    let column = |at: usize| grid.iter().map(|row| row[at]).collect::<Vec<f64>>();
    let spans = (0..columns).map(|at| span(&column(at)));
    [mean(&spans.collect::<Vec<f64>>()), mean(&grid.iter().map(|row| span(row)).collect::<Vec<f64>>())]
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let mut findings = Findings::default();
    let thresholds: Vec<u64> = (0..=MOST / STEP).map(|step| step * STEP).collect();
    let mut table = FindingsTable::new(
        "Part of the samples that are right",
        &["", "at 85 % and 100 %", "the best", "the processor's threshold changes it by", "its own by"],
    );
    let mut panels = Vec::new();
    let mut changes = Vec::new();
    for (load, outcome) in LOADS.iter().zip(outcomes) {
        let samples = samples(plan, outcome)?;
        let at = |thresholds| accuracy(&samples, load.column, thresholds);
        let grid: Vec<Vec<f64>> =
            thresholds.iter().map(|cpu| thresholds.iter().map(|own| at([*cpu, *own])).collect()).collect();
        let best = grid.iter().flatten().copied().fold(0.0, f64::max);
        let [cpu, own] = matters(&grid);
        let cells = [at(CHOSEN), best, cpu, own].map(|part| format!("{part:.3}"));
        table.rows.push(std::iter::once(load.title.to_string()).chain(cells).collect());
        let values = grid.iter().map(|row| row.iter().map(|part| Some(200.0 * part - 100.0)).collect()).collect();
        panels.push(Panel { title: load.title.to_string(), values });
        findings.figure(format!("{}: samples", load.title), samples.len() as u64);
        // Without any threshold, half of the samples are right.
        findings.quantity(format!("chosen-{}", load.name), at(CHOSEN) / best);
        changes.push([cpu, own]);
    }
    let [disk, link] = changes[..] else { anyhow::bail!("a run of each load is needed") };
    findings.quantity("disk-own", disk[1] - disk[0]);
    let link_samples = samples(plan, outcomes.get(1).context("a run of each load is needed")?)?;
    match busy_samples(&link_samples) {
        0 => findings.unmeasured("link-both", format!("the processor is below {IDLE} % idle in no sample")),
        _ => findings.quantity("link-both", link[0].min(link[1])),
    }
    findings.tables.push(table);
    let names = || thresholds.iter().map(u64::to_string).collect();
    findings.maps.push(HeatMap {
        title: "How far from guessing (0) to always right (100)".to_string(),
        signs: ["better than guessing", "worse"].map(str::to_string),
        axes: ["threshold of the disk or the link, %".to_string(), "CPU, %".to_string()],
        columns: names(),
        rows: names(),
        panels,
        across: 2,
        framed_from: 98.0,
    });
    findings.notes.push(why(&link_samples));
    Ok(findings)
}

/// Samples beside a foreground in which the processor's share counts.
fn busy_samples(samples: &[(bool, Shares)]) -> usize {
    samples.iter().filter(|(front, [idle, ..])| *front && *idle < IDLE).count()
}

/// What the processor's share reveals of the link.
fn why(link: &[(bool, Shares)]) -> String {
    let busy = busy_samples(link);
    let with = link.iter().filter(|(front, _)| *front).count();
    format!(
        "A share of disk or link below 100 % means that another program used it; these counts are exact. The \
         processor was so busy (below {IDLE} % idle) in {busy} of the {with} samples of two senders that its share \
         counts."
    )
}

#[cfg(test)]
mod tests {
    use super::{accuracy, is_contended, matters};

    #[test]
    fn p2_f1_rule_matches_regulator() {
        for (sample, thresholds, wanted) in [
            ([50, 0, 100, 0], [85, 100], false),
            ([50, 0, 99, 0], [85, 100], true),
            ([50, 0, 99, 0], [85, 99], false),
            ([24, 84, 100, 0], [85, 100], true),
            ([25, 84, 100, 0], [85, 100], false),
            ([24, 85, 100, 0], [85, 100], false),
            ([24, 0, 0, 0], [85, 100], false),
        ] {
            assert_eq!(is_contended(sample, 1, thresholds), wanted, "{sample:?}, {thresholds:?}");
        }
        assert!(is_contended([50, 0, 100, 40], 2, [0, 50]) && !is_contended([50, 0, 40, 100], 2, [0, 50]));
    }

    #[test]
    fn p2_f1_samples_with_and_without_foreground_weigh_equally() {
        let (shared, whole) = ([50, 0, 50, 0], [50, 0, 100, 0]);
        let samples = [(true, shared), (true, shared), (true, whole), (true, shared), (false, whole)];
        assert!((accuracy(&samples, 1, [0, 100]) - 0.875).abs() < 1e-9);
        assert!((accuracy(&samples, 1, [0, 0]) - 0.5).abs() < 1e-9, "who never says so is right without a foreground");
    }

    #[test]
    fn p2_f1_threshold_change_is_seen() {
        let [cpu, own] = matters(&[vec![0.5, 1.0], vec![0.6, 1.0]]);
        assert!((cpu - 0.05).abs() < 1e-9 && (own - 0.45).abs() < 1e-9, "{cpu} {own}");
    }
}
