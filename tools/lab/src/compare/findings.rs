//! What the runs of a comparison found: for each combination the median, the least and the most over the offsets.
//!
//! Invariant: every form of the results (JSON, CSV, table, plot, page) is made of a [`Comparison`] alone.

use super::record::RunRecord;
use super::variation::{Combination, VariedKey};
use renga_bench::phase_spread::PhaseSpread;
use renga_trace::phases::LinkUse;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The form of `compare.json` (docs/guides/measure-your-workload.md).
const SCHEMA: &str = "renga-compare-1";

/// A quantity over all offsets.
pub(super) type OffsetSpread = PhaseSpread<u64>;

fn over(values: impl Iterator<Item = u64>) -> OffsetSpread {
    PhaseSpread::of(values).unwrap_or_default()
}

/// What happened in a phase, or in the whole load.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct PhaseFigures {
    /// How long it took, ns.
    pub(super) ns: OffsetSpread,
    /// Calls to other boards.
    pub(super) calls: OffsetSpread,
    /// Of these, to entries that may release their callers early.
    pub(super) releasable: OffsetSpread,
    /// Of these, the ones that did.
    pub(super) released: OffsetSpread,
    /// Frames on the wire.
    pub(super) frames: OffsetSpread,
    /// Their bytes.
    pub(super) bytes: OffsetSpread,
    /// Their time on the wire, ns.
    pub(super) wire_ns: OffsetSpread,
}

impl PhaseFigures {
    fn of(all: &[(u64, LinkUse)]) -> PhaseFigures {
        let spread = |of: fn(&LinkUse) -> u64| over(all.iter().map(|(_, link)| of(link)));
        PhaseFigures {
            ns: over(all.iter().map(|(ns, _)| *ns)),
            calls: spread(|link| link.calls),
            releasable: spread(|link| link.releasable),
            released: spread(|link| link.released),
            frames: spread(|link| link.frames),
            bytes: spread(|link| link.bytes),
            wire_ns: spread(|link| link.wire_ns),
        }
    }

    /// The part of its time for which a frame was on the wire, %.
    pub(super) fn busy_percent(&self) -> f64 {
        100.0 * self.wire_ns.median as f64 / self.ns.median.max(1) as f64
    }
}

/// A phase by its name.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct NamedPhase {
    /// The word that marks it; `start` until the load marks one.
    pub(super) name: String,
    /// What happened in it; if it was marked several times, in all of them together.
    #[serde(flatten)]
    pub(super) measured: PhaseFigures,
}

/// What a combination found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct ComparedCase {
    /// The values of what varies.
    pub(super) settings: BTreeMap<String, String>,
    /// From the start of the load to its end.
    pub(super) total: PhaseFigures,
    /// Its phases, in the order of their first marks.
    pub(super) phases: Vec<NamedPhase>,
    /// The kept runs, by offset.
    pub(super) runs: Vec<String>,
}

impl ComparedCase {
    /// The runs `keys` of a combination, whose records these are.
    pub(super) fn of(combination: &Combination, keys: &[String], records: &[RunRecord]) -> ComparedCase {
        let mut names: Vec<&str> = Vec::new();
        for phase in records.iter().flat_map(|record| &record.phases) {
            if !names.contains(&phase.name.as_str()) {
                names.push(&phase.name);
            }
        }
        let sums = |name: Option<&str>| -> Vec<(u64, LinkUse)> {
            records.iter().map(|record| sum(record, |found| name.is_none_or(|name| name == found))).collect()
        };
        let phase =
            |name: &&str| NamedPhase { name: (*name).to_string(), measured: PhaseFigures::of(&sums(Some(name))) };
        ComparedCase {
            settings: combination.iter().cloned().collect(),
            total: PhaseFigures::of(&sums(None)),
            phases: names.iter().map(phase).collect(),
            runs: keys.to_vec(),
        }
    }

    /// What happened in a phase.
    pub(super) fn phase(&self, name: &str) -> Option<&PhaseFigures> {
        self.phases.iter().find(|phase| phase.name == name).map(|phase| &phase.measured)
    }
}

/// Time and link use of the phases of a run that `is_meant` names.
fn sum(record: &RunRecord, is_meant: impl Fn(&str) -> bool) -> (u64, LinkUse) {
    let meant = record.phases.iter().filter(|phase| is_meant(&phase.name));
    meant.fold((0, LinkUse::default()), |(ns, link), phase| (ns + phase.ns(), link.and(phase.link)))
}

/// Everything that a comparison found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Comparison {
    schema: String,
    /// What does not vary, by name.
    pub(super) facts: BTreeMap<String, String>,
    /// What does.
    pub(super) varied: Vec<VariedKey>,
    /// When the load started, us after the boards had.
    pub(super) offsets_us: Vec<u64>,
    /// By combination.
    pub(super) cases: Vec<ComparedCase>,
    /// What to say of the modes' times.
    pub(super) reasons: Vec<String>,
}

impl Comparison {
    /// Of `cases`, and what there is to say of them.
    pub(super) fn new(
        facts: BTreeMap<String, String>,
        varied: Vec<VariedKey>,
        offsets_us: Vec<u64>,
        cases: Vec<ComparedCase>,
        reasons: Vec<String>,
    ) -> Comparison {
        Comparison { schema: SCHEMA.to_string(), facts, varied, offsets_us, cases, reasons }
    }

    /// The names of all phases, in the order of their first appearance.
    pub(super) fn phase_names(&self) -> Vec<&str> {
        let mut names: Vec<&str> = Vec::new();
        for phase in self.cases.iter().flat_map(|case| &case.phases) {
            if !names.contains(&phase.name.as_str()) {
                names.push(&phase.name);
            }
        }
        names
    }

    /// A line for each combination and phase, and one for the whole load, called `total`.
    pub(super) fn csv(&self) -> String {
        let keys: Vec<&str> = self.varied.iter().map(|varied| varied.key.as_str()).collect();
        let mut head: Vec<String> = keys.iter().map(ToString::to_string).collect();
        head.push("phase".to_string());
        for name in ["ns", "calls", "releasable", "released", "frames", "bytes", "wire_ns"] {
            head.extend(["median", "least", "most"].map(|which| format!("{name}_{which}")));
        }
        let mut text = head.join(",") + "\n";
        for case in &self.cases {
            let phases = case.phases.iter().map(|phase| (phase.name.as_str(), &phase.measured));
            for (phase, measured) in [("total", &case.total)].into_iter().chain(phases) {
                let PhaseFigures { ns, calls, releasable, released, frames, bytes, wire_ns } = measured;
                let values = keys.iter().map(|key| csv_cell(case.settings.get(*key).map_or("", String::as_str)));
                let mut cells: Vec<String> = values.chain([csv_cell(phase)]).collect();
                for OffsetSpread { median, least, most } in [ns, calls, releasable, released, frames, bytes, wire_ns] {
                    cells.extend([median, least, most].map(u64::to_string));
                }
                text += &(cells.join(",") + "\n");
            }
        }
        text
    }
}

/// A cell of CSV.
fn csv_cell(text: &str) -> String {
    match text.contains([',', '"', '\n']) {
        true => format!("\"{}\"", text.replace('"', "\"\"")),
        false => text.to_string(),
    }
}
