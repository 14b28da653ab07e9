//! Claims: what a paper says or what we aim at, the bounds, and the verdicts.
//!
//! Owns: the declaration of a claim, and `decide`, the one place where claims meet measured quantities.
//! Invariant: a claim is declared before and apart from every outcome; a figure and the claim's bounds alone make its
//! verdict.
//! Called by: rows, which declare, and `LedgerRow::findings`, which joins. Not here: figures.

use crate::phase_spread::PhaseSpread;
use anyhow::{Result, ensure};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What is required of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum ClaimBound {
    /// At most this.
    AtMost(f64),
    /// At least this.
    AtLeast(f64),
    /// From the first to the second.
    Within(f64, f64),
}

impl ClaimBound {
    /// Whether a figure is within the bound.
    pub fn holds(self, figure: f64) -> bool {
        match self {
            ClaimBound::AtMost(most) => figure <= most,
            ClaimBound::AtLeast(least) => figure >= least,
            ClaimBound::Within(least, most) => (least..=most).contains(&figure),
        }
    }
}

impl fmt::Display for ClaimBound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            ClaimBound::AtMost(most) => write!(out, "at most {}", RoundedFigure(*most)),
            ClaimBound::AtLeast(least) => write!(out, "at least {}", RoundedFigure(*least)),
            ClaimBound::Within(least, most) => write!(out, "{} to {}", RoundedFigure(*least), RoundedFigure(*most)),
        }
    }
}

/// A figure with three digits behind the point at most.
pub struct RoundedFigure(pub f64);

impl fmt::Display for RoundedFigure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.3}", self.0);
        out.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// What a claim is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Quantity {
    /// The name under which a row reports the figure.
    pub id: String,
    /// What it is.
    pub what: String,
    /// Its unit.
    pub unit: String,
}

impl Quantity {
    /// A quantity.
    pub fn new(id: impl Into<String>, what: impl Into<String>, unit: &str) -> Quantity {
        Quantity { id: id.into(), what: what.into(), unit: unit.to_string() }
    }
}

impl fmt::Display for Quantity {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, {}", self.what, self.unit)
    }
}

/// Whose claim it is.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ClaimSource {
    /// The paper's.
    Paper {
        /// The published number, or the published words.
        published: String,
    },
    /// Our own aim, of which nothing was published.
    Aim {
        /// From here on the aim is exceeded.
        exceeded: Option<ClaimBound>,
    },
}

/// A claim, without any outcome.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What it is about.
    pub quantity: Quantity,
    /// Whose it is.
    pub source: ClaimSource,
    /// What it requires.
    pub bound: ClaimBound,
    /// Why the bound is what it is.
    pub reason: String,
    /// Why no outcome of the experiment could decide the claim.
    pub untested: Option<String>,
}

impl Claim {
    /// What the paper says.
    pub fn paper(quantity: Quantity, published: impl Into<String>, bound: ClaimBound, reason: &str) -> Claim {
        let source = ClaimSource::Paper { published: published.into() };
        Claim { quantity, source, bound, reason: reason.to_string(), untested: None }
    }

    /// What we aim at.
    pub fn aim(quantity: Quantity, bound: ClaimBound, reason: &str) -> Claim {
        let source = ClaimSource::Aim { exceeded: None };
        Claim { quantity, source, bound, reason: reason.to_string(), untested: None }
    }

    /// The aim, exceeded within another bound.
    #[must_use]
    pub fn exceeded(self, bound: ClaimBound) -> Claim {
        Claim { source: ClaimSource::Aim { exceeded: Some(bound) }, ..self }
    }

    /// The claim, which the experiment does not ask.
    #[must_use]
    pub fn untested(self, why: &str) -> Claim {
        Claim { untested: Some(why.to_string()), ..self }
    }

    /// The published number, or words; of an aim `-`.
    pub fn published(&self) -> &str {
        match &self.source {
            ClaimSource::Paper { published } => published,
            ClaimSource::Aim { .. } => "-",
        }
    }

    /// What is required, in words.
    pub fn required(&self) -> String {
        match &self.source {
            ClaimSource::Aim { exceeded: Some(exceeded) } => format!("{}; exceeded {exceeded}", self.bound),
            _ => self.bound.to_string(),
        }
    }

    fn verdict(&self, figure: f64) -> ClaimVerdict {
        match (&self.source, self.bound.holds(figure)) {
            (ClaimSource::Paper { .. }, true) => ClaimVerdict::So,
            (ClaimSource::Paper { .. }, false) => ClaimVerdict::NotSo,
            (ClaimSource::Aim { exceeded: Some(exceeded) }, _) if exceeded.holds(figure) => ClaimVerdict::Exceeded,
            (ClaimSource::Aim { .. }, true) => ClaimVerdict::Met,
            (ClaimSource::Aim { .. }, false) => ClaimVerdict::Missed,
        }
    }
}

/// What became of a claim; in the order of reports, failures first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ClaimVerdict {
    /// The paper's claim does not hold here.
    NotSo,
    /// An aim is missed.
    Missed,
    /// The quantity was not measured, or the experiment does not ask the question.
    NotTested,
    /// The paper's claim holds here, too.
    So,
    /// An aim is met.
    Met,
    /// An aim is met within its second bound.
    Exceeded,
}

impl ClaimVerdict {
    /// Whether a claim failed.
    pub fn failed(self) -> bool {
        matches!(self, ClaimVerdict::NotSo | ClaimVerdict::Missed)
    }
}

impl fmt::Display for ClaimVerdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            ClaimVerdict::NotSo => "not so",
            ClaimVerdict::Missed => "missed",
            ClaimVerdict::NotTested => "not tested here",
            ClaimVerdict::So => "so",
            ClaimVerdict::Met => "met",
            ClaimVerdict::Exceeded => "exceeded",
        })
    }
}

/// A claim beside its figure.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct JudgedClaim {
    /// The claim.
    pub claim: Claim,
    /// The figure here, if it was measured.
    pub figure: Option<f64>,
    /// What became of the claim.
    pub verdict: ClaimVerdict,
    /// Why it was not tested.
    pub untested: Option<String>,
    /// The figure over phases, if there are several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub spread: Option<ClaimSpread>,
}

/// A claim's figure over phases.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct ClaimSpread {
    /// The least.
    pub least: f64,
    /// The most.
    pub most: f64,
    /// In how many phases the claim holds.
    pub holds: usize,
    /// Of so many.
    pub phases: usize,
}

impl JudgedClaim {
    /// The claim over phases whose figures these are, of `phases` in all.
    #[must_use]
    pub fn over(self, figures: &[f64], phases: usize) -> JudgedClaim {
        let holds = figures.iter().filter(|figure| self.claim.bound.holds(**figure)).count();
        let of = |PhaseSpread { least, most, .. }| ClaimSpread { least, most, holds, phases };
        let spread = PhaseSpread::of(figures.iter().copied()).filter(|_| self.untested.is_none() && phases > 1);
        JudgedClaim { spread: spread.map(of), ..self }
    }

    /// The figure, with three digits behind the point at most; `-` without one. Of several phases the median, and from
    /// where to where.
    pub fn here(&self) -> String {
        let figure = self.figure.map_or("-".to_string(), |figure| RoundedFigure(figure).to_string());
        match self.spread {
            Some(ClaimSpread { least, most, .. }) if least < most => {
                format!("{figure} ({} to {})", RoundedFigure(least), RoundedFigure(most))
            }
            _ => figure,
        }
    }

    /// The reason for the bound, and why the claim was not tested.
    pub fn remark(&self) -> String {
        match (&self.untested, self.spread) {
            (Some(why), _) => format!("{}. Not tested: {why}", self.claim.reason),
            (None, Some(ClaimSpread { holds, phases, .. })) => {
                format!("{}. Holds at {holds} of {phases} starts", self.claim.reason)
            }
            (None, None) => self.claim.reason.clone(),
        }
    }
}

/// What a row measured: a figure by quantity, or why there is none.
pub type MeasuredQuantities = BTreeMap<String, Result<f64, String>>;

/// Joins claims with what was measured; failures come first.
///
/// # Errors
/// If a quantity has no claim, two claims have one id, or a figure is no number.
pub fn decide(claims: Vec<Claim>, measured: &MeasuredQuantities) -> Result<Vec<JudgedClaim>> {
    for (id, figure) in measured {
        let declared = claims.iter().filter(|claim| claim.quantity.id == *id).count();
        ensure!(declared == 1, "{declared} claims are about the quantity `{id}`");
        ensure!(!matches!(figure, Ok(figure) if !figure.is_finite()), "the quantity `{id}` is no number: {figure:?}");
    }
    let joined = |claim: Claim| {
        let (figure, missing) = match measured.get(&claim.quantity.id) {
            Some(Ok(figure)) => (Some(*figure), None),
            Some(Err(why)) => (None, Some(why.clone())),
            None => (None, Some("not measured in this run".to_string())),
        };
        let untested = claim.untested.clone().or(missing);
        let verdict = match (&untested, figure) {
            (None, Some(figure)) => claim.verdict(figure),
            _ => ClaimVerdict::NotTested,
        };
        JudgedClaim { claim, figure, verdict, untested, spread: None }
    };
    let mut judged: Vec<JudgedClaim> = claims.into_iter().map(joined).collect();
    judged.sort_by_key(|judged| judged.verdict);
    Ok(judged)
}

/// The head line: of the paper's claims and of our aims how many have each verdict.
pub fn summary(judged: &[JudgedClaim]) -> String {
    let (papers, aims): (Vec<&JudgedClaim>, Vec<&JudgedClaim>) =
        judged.iter().partition(|judged| matches!(judged.claim.source, ClaimSource::Paper { .. }));
    let counts = |those: &[&JudgedClaim], verdicts: &[ClaimVerdict]| {
        let count = |verdict: &ClaimVerdict| those.iter().filter(|judged| judged.verdict == *verdict).count();
        let said = verdicts.iter().filter(|verdict| **verdict != ClaimVerdict::NotTested || count(verdict) > 0);
        let said = said.map(|verdict| format!("{} {}", count(verdict), short(*verdict)));
        said.collect::<Vec<_>>().join(", ")
    };
    let part = |whose: &str, what: &str, those: &[&JudgedClaim], verdicts: &[ClaimVerdict]| {
        let plural = if those.len() == 1 { "" } else { "s" };
        let text = format!("of {whose} {} {what}{plural}: {}", those.len(), counts(those, verdicts));
        (!those.is_empty()).then_some(text)
    };
    let of_paper = [ClaimVerdict::So, ClaimVerdict::NotSo, ClaimVerdict::NotTested];
    let of_ours = [ClaimVerdict::Met, ClaimVerdict::Exceeded, ClaimVerdict::Missed, ClaimVerdict::NotTested];
    let parts = [part("the paper's", "claim", &papers, &of_paper), part("our", "aim", &aims, &of_ours)];
    match parts.into_iter().flatten().collect::<Vec<_>>() {
        parts if parts.is_empty() => "nothing is claimed".to_string(),
        parts => parts.join("; "),
    }
}

/// A verdict in a count.
fn short(verdict: ClaimVerdict) -> String {
    verdict.to_string().trim_end_matches(" here").to_string()
}

#[cfg(test)]
mod tests {
    use super::{Claim, ClaimBound, ClaimVerdict, MeasuredQuantities, Quantity, decide, summary};
    use ClaimBound::{AtLeast, AtMost, Within};

    fn claims() -> Vec<Claim> {
        let quantity = |id: &str| Quantity::new(id, "a quantity", "%");
        vec![
            Claim::paper(quantity("paper"), "10", AtMost(10.0), "as published"),
            Claim::aim(quantity("aim"), AtLeast(3.0), "three").exceeded(AtLeast(4.0)),
            Claim::paper(quantity("other"), "1", AtMost(1.0), "as published").untested("another experiment"),
        ]
    }

    fn measured(figures: &[(&str, f64)]) -> MeasuredQuantities {
        figures.iter().map(|(id, figure)| ((*id).to_string(), Ok(*figure))).collect()
    }

    /// Holds: bench-verdicts.
    #[test]
    fn claim_verdicts_follow_from_bounds() {
        let verdict = |id: &str, figure: f64| {
            let judged = decide(claims(), &measured(&[(id, figure)])).unwrap();
            judged.iter().find(|judged| judged.claim.quantity.id == id).unwrap().verdict
        };
        assert_eq!([10.0, 10.1].map(|figure| verdict("paper", figure)), [ClaimVerdict::So, ClaimVerdict::NotSo]);
        assert_eq!(
            [2.9, 3.0, 4.0].map(|figure| verdict("aim", figure)),
            [ClaimVerdict::Missed, ClaimVerdict::Met, ClaimVerdict::Exceeded]
        );
        assert_eq!(verdict("other", 9.0), ClaimVerdict::NotTested);
        assert_eq!([0.9, 1.0, 2.0, 2.1].map(|figure| Within(1.0, 2.0).holds(figure)), [false, true, true, false]);
    }

    /// Holds: bench-verdicts.
    #[test]
    fn claim_failures_come_first_and_are_counted() {
        let judged = decide(claims(), &measured(&[("aim", 1.0), ("paper", 1.0), ("other", 0.0)])).unwrap();
        let verdicts: Vec<ClaimVerdict> = judged.iter().map(|judged| judged.verdict).collect();
        assert_eq!(verdicts, [ClaimVerdict::Missed, ClaimVerdict::NotTested, ClaimVerdict::So]);
        assert_eq!(
            summary(&judged),
            "of the paper's 2 claims: 1 so, 0 not so, 1 not tested; of our 1 aim: 0 met, 0 exceeded, 1 missed"
        );
        assert_eq!(summary(&[]), "nothing is claimed");
        assert_eq!(judged[1].remark(), "as published. Not tested: another experiment");
        assert_eq!(judged[0].claim.required(), "at least 3; exceeded at least 4");
    }

    /// Holds: bench-verdicts.
    #[test]
    fn claim_missing_figure_is_not_tested_with_reason() {
        let missing = MeasuredQuantities::from([("paper".to_string(), Err("no page waited".to_string()))]);
        let judged = decide(claims(), &missing).unwrap();
        assert!(judged.iter().all(|judged| judged.verdict == ClaimVerdict::NotTested && judged.here() == "-"));
        assert_eq!(judged[0].untested.as_deref(), Some("no page waited"));
        assert_eq!(judged[1].untested.as_deref(), Some("not measured in this run"));
    }

    /// Holds: bench-verdicts.
    #[test]
    fn claim_invented_quantity_is_refused() {
        assert!(decide(claims(), &measured(&[("invented", 1.0)])).is_err());
        assert!(decide(claims(), &measured(&[("paper", f64::INFINITY)])).is_err());
        assert!(decide([claims(), claims()].concat(), &measured(&[("paper", 1.0)])).is_err());
    }
}
