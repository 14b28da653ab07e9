//! A ranking beside what was measured: how many pairs it orders rightly, and what following it costs.
//!
//! Invariant: bounds are declared here, apart from every outcome. Not here: predicting (`prediction`).

use super::placement::OsPlacement;
use crate::claims::{Claim, ClaimBound, Quantity};
use crate::findings::{Curve, Findings, FindingsTable, Plot};

/// The quantities of claims.
const TAU: &str = "kendall-tau";
const REGRET: &str = "regret";
/// Placements of which the table has the furthest off.
const SHOWN: usize = 3;

/// What is aimed at.
pub(super) fn claims() -> Vec<Claim> {
    let tau = Quantity::new(TAU, "order of predicted and measured times, ties in neither", "Kendall's tau");
    let regret = Quantity::new(REGRET, "what the placement predicted as best takes more than the best measured", "%");
    vec![
        Claim::aim(tau, ClaimBound::AtLeast(0.9), "of twenty pairs nineteen in the right order"),
        Claim::aim(regret, ClaimBound::AtMost(2.0), "a user does not notice 2 %"),
    ]
}

/// A placement with its place in the ranking, from 0, its predicted and its measured time.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct MeasuredPlacement {
    pub(super) placement: OsPlacement,
    pub(super) rank: usize,
    pub(super) predicted_ns: f64,
    pub(super) ns: u64,
}

impl MeasuredPlacement {
    /// How far the prediction is off, of a hundred of what was measured.
    fn error_percent(&self) -> f64 {
        100.0 * (self.predicted_ns - self.ns as f64) / self.ns.max(1) as f64
    }
}

/// Of all pairs the share that has the predicted order less the share that has the other one.
fn kendall_tau(measured: &[MeasuredPlacement]) -> f64 {
    let (mut sum, mut pairs) = (0i64, 0i64);
    for (place, one) in measured.iter().enumerate() {
        for other in &measured[place + 1..] {
            let predicted = one.predicted_ns.total_cmp(&other.predicted_ns) as i64;
            sum += predicted * one.ns.cmp(&other.ns) as i64;
            pairs += 1;
        }
    }
    if pairs == 0 { f64::NAN } else { sum as f64 / pairs as f64 }
}

/// Adds all that can be said of these, in the order of the ranking of so many placements.
pub(super) fn compare(ranked: usize, measured: &[MeasuredPlacement], findings: &mut Findings) {
    findings.quantity(TAU, kendall_tau(measured));
    for placed in measured {
        findings.figure(format!("{} ns", placed.placement), placed.ns);
        findings.figure(format!("{} predicted ns", placed.placement), placed.predicted_ns as u64);
    }
    let quickest = measured.iter().min_by_key(|placed| placed.ns);
    let Some((best, quickest)) = measured.first().zip(quickest) else {
        return findings.unmeasured(REGRET, "no placement was measured");
    };
    findings.quantity(REGRET, 100.0 * (best.ns as f64 / quickest.ns as f64 - 1.0));
    findings.tables.push(table(measured, quickest));
    findings.plots.push(plot(measured));
    let mut errors: Vec<f64> = measured.iter().map(|placed| placed.error_percent().abs()).collect();
    errors.sort_by(f64::total_cmp);
    findings.notes.push(format!(
        "Of {ranked} placements {} were measured: both ends, and a random one of each equal part between. \
         Half of the predictions are off by less than {:.2} %, the furthest by {:.2} %.",
        measured.len(),
        errors[errors.len() / 2],
        errors[errors.len() - 1]
    ));
}

/// The ends of the ranking, the quickest, and those that are furthest off.
fn table(measured: &[MeasuredPlacement], quickest: &MeasuredPlacement) -> FindingsTable {
    let title = "The jobs of all boards, ms; rank: by prediction; error: of the measured time";
    let mut table = FindingsTable::new(title, &["", "placement", "rank", "predicted", "measured", "error"]);
    let mut row = |what: &str, placed: &MeasuredPlacement| {
        let ms = |ns: f64| format!("{:.2}", ns / 1e6);
        let rank = (placed.rank + 1).to_string();
        let times = [ms(placed.predicted_ns), ms(placed.ns as f64), format!("{:+.2} %", placed.error_percent())];
        table.rows.push([vec![what.to_string(), placed.placement.to_string(), rank], times.into()].concat());
    };
    row("predicted as best", &measured[0]);
    row("best measured", quickest);
    row("predicted as worst", &measured[measured.len() - 1]);
    let mut by_error: Vec<&MeasuredPlacement> = measured.iter().collect();
    by_error.sort_by(|one, other| other.error_percent().abs().total_cmp(&one.error_percent().abs()));
    by_error.into_iter().take(SHOWN).for_each(|placed| row("furthest off", placed));
    table
}

/// Both times of each placement by its place in the ranking.
fn plot(measured: &[MeasuredPlacement]) -> Plot {
    let points = |of: fn(&MeasuredPlacement) -> f64| {
        measured.iter().map(|placed| ((placed.rank + 1) as f64, of(placed) / 1e6)).collect()
    };
    let curves = vec![
        Curve::new("measured", points(|placed| placed.ns as f64)),
        Curve::new("predicted", points(|placed| placed.predicted_ns)),
    ];
    Plot::new("Placements of the system by predicted time", ["rank", "time, ms"], curves)
}

#[cfg(test)]
mod tests {
    use super::{MeasuredPlacement, REGRET, TAU, claims, compare, kendall_tau};
    use crate::claims::{ClaimVerdict, decide};
    use crate::findings::Findings;
    use crate::os_placements::placement::OsPlacement;

    fn placed(times: &[(u64, u64)]) -> Vec<MeasuredPlacement> {
        let all = OsPlacement::all().zip(times).enumerate();
        all.map(|(rank, (placement, (predicted, ns)))| MeasuredPlacement {
            placement,
            rank,
            predicted_ns: *predicted as f64,
            ns: *ns,
        })
        .collect()
    }

    #[test]
    fn os_placement_tau_counts_pairs() {
        let tau = |times: &[(u64, u64)]| kendall_tau(&placed(times));
        assert_eq!(tau(&[(1, 10), (2, 20), (3, 30), (4, 40)]), 1.0);
        assert_eq!(tau(&[(1, 40), (2, 30), (3, 20), (4, 10)]), -1.0);
        assert_eq!(tau(&[(1, 10), (2, 30), (3, 20), (4, 40)]), 4.0 / 6.0);
        assert_eq!(tau(&[(1, 10), (1, 20)]), 0.0, "a tie orders nothing");
        assert!(tau(&[(1, 10)]).is_nan());
    }

    /// The verdicts of tau and regret.
    fn verdicts(times: &[(u64, u64)]) -> Vec<ClaimVerdict> {
        let mut findings = Findings::default();
        compare(10_000, &placed(times), &mut findings);
        let judged = decide(claims(), &findings.measured).unwrap();
        let of = |claim: crate::claims::Claim| {
            judged.iter().find(|judged| judged.claim.quantity == claim.quantity).unwrap().verdict
        };
        claims().into_iter().map(of).collect()
    }

    #[test]
    fn os_placement_claims_fail_by_outcomes() {
        use ClaimVerdict::{Met, Missed, NotTested};
        let right: Vec<(u64, u64)> = (100..140).map(|time| (time, 10 * time)).collect();
        assert_eq!(verdicts(&right), [Met, Met]);
        // Two of four tens are the other way round.
        let mut wrong = right.clone();
        wrong[10..20].reverse();
        wrong[30..40].reverse();
        wrong.iter_mut().zip(100..).for_each(|(times, predicted)| times.0 = predicted);
        assert_eq!(verdicts(&wrong), [Missed, Met]);
        // The best prediction is 3 % slower than the second.
        let mut regretted = right.clone();
        regretted[0].1 = 1_041;
        assert_eq!(verdicts(&regretted), [Met, Missed]);
        assert_eq!(verdicts(&[]), [NotTested, NotTested]);
    }

    #[test]
    fn os_placement_findings_name_best_and_furthest() {
        let mut findings = Findings::default();
        compare(4, &placed(&[(100, 102), (110, 100), (120, 100), (200, 100)]), &mut findings);
        assert_eq!(findings.measured[TAU], Ok(-0.5));
        assert!((findings.measured[REGRET].clone().unwrap() - 2.0).abs() < 1e-9);
        let rows: Vec<(&str, &str)> =
            findings.tables[0].rows.iter().map(|row| (row[0].as_str(), row[2].as_str())).collect();
        assert_eq!(
            rows[..4],
            [("predicted as best", "1"), ("best measured", "2"), ("predicted as worst", "4"), ("furthest off", "4")]
        );
        assert!(
            findings.notes[0].ends_with("off by less than 20.00 %, the furthest by 100.00 %."),
            "{:?}",
            findings.notes
        );
    }
}
