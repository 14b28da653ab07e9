//! More boards as a row: its runs, and what they say.
//!
//! Invariant: every time is among the findings. Not here: loads, clusters, sentences.

use super::cluster::{CLUSTERS, ScalingCluster};
use super::load::ScalingLoad;
use super::scaled::{OnCluster, Scaled};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};
use crate::rows::{LedgerRow, RowPlan, ms};
use crate::run::{BenchRun, CostProfile, RunOutcome};
use anyhow::{Result, ensure};

/// More boards, as rows are.
pub const ROW: LedgerRow = LedgerRow {
    id: "SCALE",
    title: "Compiles and a parallel make on one, two, four and eight boards",
    published: "Of eight boards nothing. Two compiles on two boards take 15 to 30 % less than on one (P1.T5). Our goal: 45 \
         % less on two boards, a speed-up of 7 on eight.",
    method: "Eight compiles of one source at once, each with its own result. And `make -B -j 8` of a program of eight \
         parts, whose rules name the boards, and whose objects a links. The parts go to the boards in turn. Board a, \
         one of them, also has disk, shell and make. Each runs three times, and the faster of the last two counts.",
    runs,
    further: None,
    claims,
    evaluate,
};

/// The quantities of a load.
fn two(load: ScalingLoad) -> String {
    format!("two-{}", load.name())
}

fn eight(load: ScalingLoad) -> String {
    format!("eight-{}", load.name())
}

fn claims(profile: CostProfile) -> Vec<Claim> {
    let of = |load: ScalingLoad| {
        let saves = Quantity::new(two(load), format!("two boards save, {}", load.title()), "%");
        let fold = Quantity::new(eight(load), format!("speed-up of eight boards, {}", load.title()), "times");
        let fold = Claim::aim(fold, ClaimBound::AtLeast(7.0), "an eighth of the work is lost at most");
        [
            Claim::aim(saves, ClaimBound::AtLeast(45.0), "half would be ideal, and a tenth of that is lost at most"),
            fold.exceeded(ClaimBound::AtLeast(7.5)),
        ]
    };
    ScalingLoad::of(RowPlan { profile, short: false }).into_iter().flat_map(of).collect()
}

/// Clusters of the short form.
const SHORT: usize = 2;

fn clusters(plan: RowPlan) -> &'static [ScalingCluster] {
    if plan.short { &CLUSTERS[..SHORT] } else { &CLUSTERS }
}

fn runs(plan: RowPlan) -> Vec<BenchRun> {
    let on_all = |load: ScalingLoad| clusters(plan).iter().map(move |cluster| load.run(plan, *cluster));
    ScalingLoad::of(plan).into_iter().flat_map(on_all).collect()
}

fn evaluate(plan: RowPlan, outcomes: &[RunOutcome]) -> Result<Findings> {
    let (loads, clusters) = (ScalingLoad::of(plan), clusters(plan));
    ensure!(outcomes.len() == loads.len() * clusters.len(), "a run of each load on each cluster is needed");
    let of_load = loads.iter().zip(outcomes.chunks(clusters.len()));
    let all = of_load.map(|(load, outcomes)| Scaled::read(*load, clusters, outcomes)).collect::<Result<Vec<_>>>()?;
    Ok(findings(&all))
}

fn findings(all: &[Scaled]) -> Findings {
    let mut findings = Findings::default();
    for scaled in all {
        for on in &scaled.clusters {
            findings.figure(format!("{} on {} boards ns", scaled.load.name(), on.boards), on.ns);
        }
    }
    findings.tables = vec![times(all), parts(all)];
    findings.plots.push(plot(all));
    for scaled in all {
        if let Some(on) = scaled.on(2) {
            findings.quantity(two(scaled.load), scaled.saves_percent(on));
        }
        if let Some(on) = scaled.on(8) {
            findings.quantity(eight(scaled.load), scaled.fold(on));
        }
        findings.notes.extend(scaled.why());
    }
    findings
}

/// A column for each cluster.
fn times(all: &[Scaled]) -> FindingsTable {
    let mut table = FindingsTable::new("Until the last part is done, ms, by boards; in brackets: speed-up", &[""]);
    let clusters = all.first().map_or(&[][..], |scaled| &scaled.clusters);
    table.columns.extend(clusters.iter().map(|on| on.boards.to_string()));
    table.rows.extend(all.iter().map(|scaled| {
        let time = |on: &OnCluster| format!("{} ({:.2})", ms(on.ns), scaled.fold(on));
        std::iter::once(scaled.load.title()).chain(scaled.clusters.iter().map(time)).collect()
    }));
    table
}

/// A row for each load on each cluster.
fn parts(all: &[Scaled]) -> FindingsTable {
    let title =
        "Where the time went, from the traces, ms; waits: of calls between boards; most: the entry with the longest";
    let columns =
        ["", "took", "a", "busiest other", "all cores", "disk", "wire", "frames", "token", "calls", "waits", "most"];
    let mut table = FindingsTable::new(title, &columns);
    for scaled in all {
        table.rows.extend(scaled.clusters.iter().map(|on| {
            let spent = &on.spent;
            let mut row =
                vec![format!("{}, boards: {}", scaled.load.title(), on.boards), ms(on.ns), ms(on.first_core_ns())];
            row.push(on.other_core_ns().map_or("-".to_string(), ms));
            row.extend([on.cores_ns(), spent.disk_ns, spent.wire_ns].map(ms));
            row.extend([spent.frames.to_string(), ms(spent.token_ns), spent.calls.to_string(), ms(spent.calls_ns)]);
            let dearest = spent.dearest.as_ref();
            row.push(dearest.map_or("-".to_string(), |(entry, calls, ns)| format!("{entry}: {calls}, {} ms", ms(*ns))));
            row
        }));
    }
    table
}

fn plot(all: &[Scaled]) -> Plot {
    let points = |scaled: &Scaled| scaled.clusters.iter().map(|on| (f64::from(on.boards), scaled.fold(on))).collect();
    let curve = |scaled: &Scaled| Curve::new(scaled.load.title(), points(scaled));
    Plot::new("Speed-up against one board", ["boards", "speed-up, times"], all.iter().map(curve).collect())
}

#[cfg(test)]
mod tests {
    use super::findings;
    use crate::scaling::load::ScalingLoad;
    use crate::scaling::scaled::Scaled;
    use crate::scaling::scaled::tests::on_cluster;
    use crate::workload::{CC_49797, CC_96413};

    #[test]
    fn scaling_quantities_are_of_two_and_eight_boards() {
        let of = |load, [one, two, eight]: [u64; 3]| {
            let busy = |ns: u64, boards: usize| on_cluster(ns, &vec![ns / 2; boards], ns / 4);
            Scaled { load, clusters: vec![busy(one, 1), busy(two, 2), busy(eight, 8)] }
        };
        let ms = 1_000_000;
        let all = [
            of(ScalingLoad::Compiles(CC_96413), [80 * ms, 40 * ms, 16 * ms]),
            of(ScalingLoad::Make(CC_49797), [80 * ms, 76 * ms, 10 * ms]),
        ];
        let found = findings(&all);
        assert_eq!((&found.measured["two-tcc-96413"], &found.measured["eight-tcc-96413"]), (&Ok(50.0), &Ok(5.0)));
        assert_eq!((found.measured.len(), &found.measured["eight-make-tcc-49797"]), (4, &Ok(8.0)));
        assert_eq!(found.tables[0].columns, ["", "1", "2", "8"]);
        assert_eq!(found.tables[0].rows[0][3], "16.00 (5.00)");
        assert_eq!((found.tables[1].rows.len(), found.notes.len()), (6, 2));
        assert_eq!(found.figures["make-tcc-49797 on 8 boards ns"], 10 * ms);
        assert_eq!(found.plots[0].curves[1].points, [(1.0, 1.0), (2.0, 80.0 / 76.0), (8.0, 8.0)]);
    }
}
