//! Predictions beside what was measured: how far they are off, and what the search is worth.
//!
//! Invariant: errors are of what was measured. Not here: predicting (`placement`).

use super::placement::{Alone, Placement, best};
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot, quotient};
use crate::rows::ms;

/// The quantities of claims.
const ERROR: &str = "error-beyond-plain-sum";
const TO_BEST: &str = "found-to-best";

/// What is aimed at.
pub(super) fn claims() -> Vec<Claim> {
    let error = Quantity::new(
        ERROR,
        "the largest error of a prediction less that of sums without contention",
        "percent points",
    );
    let to_best = Quantity::new(TO_BEST, "what the search finds to the best measured", "times");
    vec![
        Claim::aim(error, ClaimBound::AtMost(0.0), "a model of contention shall be nearer than none"),
        Claim::aim(to_best, ClaimBound::AtMost(1.05), "a user does not notice 5 %").exceeded(ClaimBound::AtMost(1.0)),
    ]
}

/// A placement, as predicted and as measured.
pub(super) struct ComparedPlacement {
    placement: Placement,
    predicted_ns: f64,
    one_by_one_ns: f64,
    ns: u64,
}

impl ComparedPlacement {
    /// One that took so long.
    pub(super) fn new(placement: Placement, alone: &Alone, ns: u64) -> ComparedPlacement {
        let (predicted_ns, one_by_one_ns) = (placement.predicted_ns(alone), placement.one_by_one_ns(alone));
        ComparedPlacement { placement, predicted_ns, one_by_one_ns, ns }
    }

    /// How far a prediction is off, of a hundred of what was measured.
    fn error_percent(&self, predicted_ns: f64) -> f64 {
        100.0 * (predicted_ns - self.ns as f64) / self.ns.max(1) as f64
    }
}

/// The one that is furthest off by `of`, and how far, %.
fn furthest(measured: &[ComparedPlacement], of: fn(&ComparedPlacement) -> f64) -> Option<(&ComparedPlacement, f64)> {
    let errors = measured.iter().map(|placed| (placed, placed.error_percent(of(placed)).abs()));
    errors.max_by(|(_, one), (_, other)| one.total_cmp(other))
}

/// Adds all that can be said of these.
pub(super) fn compare(measured: &[ComparedPlacement], alone: &Alone, findings: &mut Findings) {
    for placed in measured {
        findings.figure(format!("{} ns", placed.placement), placed.ns);
        findings.figure(format!("{} predicted ns", placed.placement), placed.predicted_ns as u64);
    }
    findings.tables.push(table(measured));
    findings.plots.push(plot(measured));
    let of_model = furthest(measured, |placed| placed.predicted_ns);
    let of_sums = furthest(measured, |placed| placed.one_by_one_ns);
    if let Some(((placed, error), (summed, plain))) = of_model.zip(of_sums) {
        findings.quantity(ERROR, error - plain);
        findings.notes.push(format!("The largest error is that of {}, {error:.1} %.", placed.placement));
        findings.notes.push(format!(
            "Without contention, each job after the other, {} would be furthest off, by {plain:.1} %.",
            summed.placement
        ));
    }
    evaluate_search(measured, alone, findings);
}

fn table(measured: &[ComparedPlacement]) -> FindingsTable {
    let title = "All jobs together, ms, by placement; error: of the measured time; one by one: without contention";
    let mut table = FindingsTable::new(title, &["", "measured", "predicted", "error", "one by one", "error"]);
    table.rows.extend(measured.iter().map(|placed| {
        let predicted = |ns: f64| [ms(ns as u64), format!("{:+.1} %", placed.error_percent(ns))];
        let both = [predicted(placed.predicted_ns), predicted(placed.one_by_one_ns)].concat();
        [placed.placement.to_string(), ms(placed.ns)].into_iter().chain(both).collect()
    }));
    table
}

/// Both times of each placement, from the quickest to the slowest.
fn plot(measured: &[ComparedPlacement]) -> Plot {
    let mut sorted: Vec<&ComparedPlacement> = measured.iter().collect();
    sorted.sort_by_key(|placed| placed.ns);
    let curve = |label: &str, of: fn(&ComparedPlacement) -> f64| {
        let points = sorted.iter().enumerate().map(|(place, placed)| ((place + 1) as f64, of(placed) / 1e6));
        Curve::new(label, points.collect())
    };
    let title = "Placements from the quickest to the slowest, as measured and as predicted";
    let curves = vec![curve("measured", |placed| placed.ns as f64), curve("predicted", |placed| placed.predicted_ns)];
    Plot::new(title, ["placement", "time, ms"], curves)
}

/// What the search finds, beside the best of those that were measured.
fn evaluate_search(measured: &[ComparedPlacement], alone: &Alone, findings: &mut Findings) {
    let (found, predicted_ns) = best(alone);
    let predicted = ms(predicted_ns as u64);
    let Some(quickest) = measured.iter().min_by_key(|placed| placed.ns) else { return };
    let Some(searched) = measured.iter().find(|placed| placed.placement == found) else {
        findings.notes.push(format!("The search takes {found}, predicted {predicted} ms, which was not measured."));
        findings.unmeasured(TO_BEST, format!("{found}, which the search takes, was not measured"));
        return;
    };
    let ratio = quotient(searched.ns, quickest.ns);
    findings.quantity(TO_BEST, ratio);
    findings.notes.push(format!(
        "Of {} placements the search takes {found}: predicted {predicted} ms, measured {} ms. Of the {} measured \
         placements the best is {} with {} ms.",
        Placement::all(found.boards().len()).count(),
        ms(searched.ns),
        measured.len(),
        quickest.placement,
        ms(quickest.ns)
    ));
}

#[cfg(test)]
mod tests {
    use super::{ComparedPlacement, compare};
    use crate::findings::Findings;
    use crate::placements::demand::{Demand, JobPhases};
    use crate::placements::placement::{Alone, Placement};

    /// Two jobs of 20 and 30 ms, which nothing but their own core takes; so together they take 50, 30, 30, 50.
    fn found(measured_ms: &[(&str, u64)]) -> Findings {
        let job = |ms: f64| {
            let demand = |core: usize| {
                let mut queued_ns = [0.0; 4];
                queued_ns[core] = ms * 1e6;
                JobPhases(vec![Demand { queued_ns, apart_ns: 0.0 }])
            };
            [demand(0), demand(1)]
        };
        let alone = Alone { jobs: vec![job(20.0), job(30.0)], shell_ns: 0.0 };
        let placed = |(name, ms): &(&str, u64)| {
            let placement = Placement::all(2).find(|placement| placement.to_string() == *name).unwrap();
            ComparedPlacement::new(placement, &alone, ms * 1_000_000)
        };
        let mut findings = Findings::default();
        compare(&measured_ms.iter().map(placed).collect::<Vec<_>>(), &alone, &mut findings);
        findings
    }

    /// Holds: placements-model.
    #[test]
    fn placement_quantities_are_of_worst_prediction() {
        let findings = found(&[("aa", 50), ("ab", 32), ("ba", 25), ("bb", 40)]);
        assert_eq!(findings.tables[0].rows[1], ["ab", "32.00", "30.00", "-6.2 %", "30.00", "-6.2 %"]);
        assert_eq!(findings.tables[0].rows[3][3], "+25.0 %");
        assert_eq!(findings.measured["error-beyond-plain-sum"], Ok(0.0), "these jobs do not contend");
        // The search takes the first of the two that it takes to be alike; the other one is quicker.
        assert_eq!(findings.measured["found-to-best"], Ok(32.0 / 25.0));
        assert!(findings.notes[0].starts_with("The largest error is that of bb, 25.0 %"), "{}", findings.notes[0]);
        assert!(findings.notes[2].contains("takes ab: predicted 30.00 ms, measured 32.00 ms. Of the 4 measured"));
        assert!(findings.notes[2].ends_with("the best is ba with 25.00 ms."), "{}", findings.notes[2]);
        let measured: Vec<f64> = findings.plots[0].curves[0].points.iter().map(|(_, ms)| *ms).collect();
        assert_eq!(measured, [25.0, 32.0, 40.0, 50.0]);
        assert_eq!((findings.figures["bb ns"], findings.figures["bb predicted ns"]), (40_000_000, 50_000_000));
    }

    #[test]
    fn placement_unmeasured_best_is_reported() {
        let findings = found(&[("aa", 50), ("bb", 50)]);
        assert!(findings.measured["found-to-best"].is_err());
        assert!(
            findings.notes[2].contains("takes ab, predicted 30.00 ms, which was not measured"),
            "{:?}",
            findings.notes
        );
    }
}
