//! What a row finds: figures, tables of them, measured quantities, curves.
//!
//! Not here: claims and their verdicts (`claims`).

use crate::claims::{JudgedClaim, MeasuredQuantities};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// Why a quotient has no figure.
const BY_NOTHING: &str = "there is nothing to compare with: a count or a time is 0";

/// The quotient of two counts or times; no number if there is nothing to divide by.
pub(crate) fn quotient(one: u64, other: u64) -> f64 {
    if other == 0 { f64::NAN } else { one as f64 / other as f64 }
}

/// The most of all, if each is a number; without any, none.
pub(crate) fn most_of(figures: impl IntoIterator<Item = f64>) -> f64 {
    let most = |one: f64, other: f64| if one.is_nan() || other.is_nan() { f64::NAN } else { one.max(other) };
    figures.into_iter().reduce(most).unwrap_or(f64::NAN)
}

/// A table, as it is printed.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FindingsTable {
    /// What it shows.
    pub title: String,
    /// The heads of the columns.
    pub columns: Vec<String>,
    /// The cells; the first of each row says what the row is.
    pub rows: Vec<Vec<String>>,
}

impl FindingsTable {
    /// An empty one.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> FindingsTable {
        let columns = columns.iter().map(|column| (*column).to_string()).collect();
        FindingsTable { title: title.into(), columns, rows: Vec::new() }
    }
}

impl fmt::Display for FindingsTable {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines = || std::iter::once(&self.columns).chain(&self.rows);
        let width =
            |column: usize| lines().filter_map(|line| Some(line.get(column)?.chars().count())).max().unwrap_or(0);
        let widths: Vec<usize> = (0..self.columns.len()).map(width).collect();
        writeln!(out, "{}\n", self.title)?;
        for line in lines() {
            let mut text = String::new();
            for (place, (cell, width)) in line.iter().zip(&widths).enumerate() {
                text += &if place == 0 { format!("  {cell:<width$}") } else { format!("  {cell:>width$}") };
            }
            writeln!(out, "{}", text.trim_end())?;
        }
        Ok(())
    }
}

/// Points of a plot that belong together: x and y.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Curve {
    /// What they are.
    pub label: String,
    /// The points, by x.
    pub points: Vec<(f64, f64)>,
    /// The least and the most of each, over phases; empty: they do not vary.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub ranges: Vec<(f64, f64)>,
    /// Whether they were published: marks without a line.
    #[serde(default)]
    pub is_published: bool,
}

impl Curve {
    /// Points that were measured.
    pub fn new(label: impl Into<String>, points: Vec<(f64, f64)>) -> Curve {
        Curve { label: label.into(), points, ranges: Vec::new(), is_published: false }
    }

    /// Points that were published.
    pub fn published(label: impl Into<String>, points: Vec<(f64, f64)>) -> Curve {
        Curve { is_published: true, ..Curve::new(label, points) }
    }
}

/// A plot.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Plot {
    /// What it shows.
    pub title: String,
    /// What x is, and y.
    pub axes: [String; 2],
    /// The data: lines, or bars of each label at the xs.
    pub curves: Vec<Curve>,
    /// Names of the xs 0, 1 and so on, which are no numbers: bars stand there; empty: x is a number.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub categories: Vec<String>,
    /// Whether x is logarithmic, and y; an axis with a 0 stays linear.
    #[serde(default)]
    pub logarithmic: [bool; 2],
}

impl Plot {
    /// Curves over numbers on linear axes.
    pub fn new<A: Into<String>>(title: impl Into<String>, axes: [A; 2], curves: Vec<Curve>) -> Plot {
        let axes = axes.map(Into::into);
        Plot { title: title.into(), axes, curves, categories: Vec::new(), logarithmic: [false; 2] }
    }

    /// Bars at the xs 0, 1 and so on, which have these names.
    #[must_use]
    pub fn of_bars(self, categories: Vec<String>) -> Plot {
        Plot { categories, ..self }
    }

    /// Logarithmic x, and y.
    #[must_use]
    pub fn with_logarithmic(self, logarithmic: [bool; 2]) -> Plot {
        Plot { logarithmic, ..self }
    }
}

/// A part of a heat map.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Panel {
    /// What its cells have in common.
    pub title: String,
    /// By row, from below, and column; without what was not measured.
    pub values: Vec<Vec<Option<f64>>>,
}

/// Values over two axes, in panels: colours around 0, and a frame around what is large.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct HeatMap {
    /// What it shows.
    pub title: String,
    /// What is above 0, and what below.
    #[serde(default)]
    pub signs: [String; 2],
    /// What the columns are, and the rows.
    pub axes: [String; 2],
    /// The columns' names.
    pub columns: Vec<String>,
    /// The rows' names, from below.
    pub rows: Vec<String>,
    /// Side by side, line by line.
    pub panels: Vec<Panel>,
    /// Panels in a line.
    pub across: usize,
    /// Cells with more than this are framed.
    pub framed_from: f64,
}

/// All that a row found with one profile.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Findings {
    /// Tables, beside what was published.
    pub tables: Vec<FindingsTable>,
    /// The quantities that claims are about.
    pub measured: MeasuredQuantities,
    /// The claims, joined with these; a row's `evaluate` leaves them out.
    pub claims: Vec<JudgedClaim>,
    /// Plots.
    pub plots: Vec<Plot>,
    /// Heat maps.
    #[serde(default)]
    pub maps: Vec<HeatMap>,
    /// What has to be said of it.
    pub notes: Vec<String>,
    /// By name: times (`... ns`) and exact counts.
    pub figures: BTreeMap<String, u64>,
}

impl Findings {
    /// Notes a figure.
    pub fn figure(&mut self, name: impl Into<String>, value: u64) {
        self.figures.insert(name.into(), value);
    }

    /// Reports the quantity of a claim; a division by nothing yields none.
    pub fn quantity(&mut self, id: impl Into<String>, figure: f64) {
        match figure.is_finite() {
            true => self.measured.insert(id.into(), Ok(figure)),
            false => self.measured.insert(id.into(), Err(BY_NOTHING.to_string())),
        };
    }

    /// Reports why the quantity of a claim has no figure.
    pub fn unmeasured(&mut self, id: impl Into<String>, why: impl Into<String>) {
        self.measured.insert(id.into(), Err(why.into()));
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for judged in &self.claims {
            let (verdict, claim, here) = (judged.verdict, &judged.claim, judged.here());
            let (quantity, published, required) = (&claim.quantity, claim.published(), claim.required());
            writeln!(
                out,
                "  {verdict:<15}  {quantity}: {here}; published: {published}; {required}: {}",
                judged.remark()
            )?;
        }
        for table in &self.tables {
            writeln!(out, "\n{table}")?;
        }
        for note in &self.notes {
            writeln!(out, "  note: {note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Findings, FindingsTable, most_of, quotient};
    use crate::claims::{Claim, ClaimBound, Quantity, decide};

    #[test]
    fn table_columns_fit_widest_cell() {
        let mut table = FindingsTable::new("t", &["what", "ms"]);
        table.rows = vec![vec!["a longer name".into(), "1".into()], vec!["b".into(), "12345".into()]];
        assert_eq!(table.to_string(), "t\n\n  what              ms\n  a longer name      1\n  b              12345\n");
    }

    /// Holds: bench-verdicts.
    #[test]
    fn findings_quotient_by_nothing_is_not_measured() {
        let mut found = Findings::default();
        found.quantity("some", most_of([quotient(3, 2), quotient(1, 1)]));
        found.quantity("by-nothing", most_of([quotient(3, 2), quotient(1, 0)]));
        found.quantity("none", most_of([]));
        assert_eq!(found.measured["some"], Ok(1.5));
        assert!(["by-nothing", "none"].iter().all(|id| found.measured[*id].is_err()), "{:?}", found.measured);
    }

    /// Holds: bench-report.
    #[test]
    fn findings_claims_come_before_tables() {
        let quantity = Quantity::new("id", "costs", "%");
        let claim = Claim::paper(quantity, "2", ClaimBound::AtMost(2.0), "as published");
        let mut found = Findings { tables: vec![FindingsTable::new("t", &["ms"])], ..Findings::default() };
        found.quantity("id", 3.0);
        found.claims = decide(vec![claim], &found.measured).unwrap();
        let text = found.to_string();
        assert!(
            text.starts_with("  not so           costs, %: 3; published: 2; at most 2: as published\n\nt\n"),
            "{text}"
        );
    }
}
