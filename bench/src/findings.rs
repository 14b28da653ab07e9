//! What a row finds: figures, tables of them, claims with verdicts, curves.
//!
//! Invariant: a verdict follows from a figure and the bounds of its claim; nothing else makes one.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fmt;

/// What is said of a published result; in the order of how well it went.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum FindingVerdict {
    /// Not so here.
    Refuted,
    /// So here too.
    Confirmed,
    /// Better than published, by the bound that the row names.
    Beaten,
}

impl fmt::Display for FindingVerdict {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        out.pad(match self {
            FindingVerdict::Refuted => "refuted",
            FindingVerdict::Confirmed => "confirmed",
            FindingVerdict::Beaten => "beaten",
        })
    }
}

/// When a figure confirms a published one, and when it beats it.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Bound {
    /// Confirmed if at most the first, beaten if at most the second.
    AtMost(f64, f64),
    /// Confirmed if at least the first, beaten if at least the second.
    AtLeast(f64, f64),
    /// Confirmed if at least this; it cannot be beaten.
    Reaches(f64),
}

impl Bound {
    /// The verdict on a figure.
    pub fn evaluate(self, figure: f64) -> FindingVerdict {
        let [confirmed, beaten] = match self {
            Bound::AtMost(confirmed, beaten) => [figure <= confirmed, figure <= beaten],
            Bound::AtLeast(confirmed, beaten) => [figure >= confirmed, figure >= beaten],
            Bound::Reaches(confirmed) => [figure >= confirmed, false],
        };
        match (confirmed || beaten, beaten) {
            (_, true) => FindingVerdict::Beaten,
            (true, false) => FindingVerdict::Confirmed,
            (false, false) => FindingVerdict::Refuted,
        }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (than, confirmed, beaten) = match self {
            Bound::AtMost(confirmed, beaten) => ("<=", confirmed, Some(beaten)),
            Bound::AtLeast(confirmed, beaten) => (">=", confirmed, Some(beaten)),
            Bound::Reaches(confirmed) => (">=", confirmed, None),
        };
        write!(out, "confirmed if {than} {}", RoundedFigure(*confirmed))?;
        beaten.map_or(Ok(()), |beaten| write!(out, ", beaten if {than} {}", RoundedFigure(*beaten)))
    }
}

/// A figure with three digits behind the point at most.
struct RoundedFigure(f64);

impl fmt::Display for RoundedFigure {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = format!("{:.3}", self.0);
        out.pad(text.trim_end_matches('0').trim_end_matches('.'))
    }
}

/// Something published, and whether it is so here.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Claim {
    /// What is claimed.
    pub what: String,
    /// What was published.
    pub published: String,
    /// The figure here.
    pub ours: f64,
    /// What is required of it.
    pub bound: Bound,
    /// So it is.
    pub verdict: FindingVerdict,
    /// Whether the row's verdict depends on it; other claims are only reported.
    pub counts: bool,
}

impl Claim {
    /// A claim on which the row's verdict hangs.
    pub fn new(what: impl Into<String>, published: impl Into<String>, ours: f64, bound: Bound) -> Claim {
        let verdict = bound.evaluate(ours);
        Claim { what: what.into(), published: published.into(), ours, bound, verdict, counts: true }
    }

    /// The same, reported without a verdict.
    pub fn beside(self) -> Claim {
        Claim { counts: false, ..self }
    }
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
    /// Claims.
    pub claims: Vec<Claim>,
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

    /// The row's verdict: the worst of the claims on which it hangs.
    pub fn verdict(&self) -> Option<FindingVerdict> {
        self.claims.iter().filter(|claim| claim.counts).map(|claim| claim.verdict).min()
    }
}

impl fmt::Display for Findings {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        for table in &self.tables {
            writeln!(out, "{table}")?;
        }
        for claim in &self.claims {
            let (ours, beside) = (RoundedFigure(claim.ours), if claim.counts { "" } else { " (beside)" });
            writeln!(
                out,
                "  {:<9}  {}{beside}: {ours}; published: {}; {}",
                claim.verdict, claim.what, claim.published, claim.bound
            )?;
        }
        for note in &self.notes {
            writeln!(out, "  note: {note}")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::{Bound, Claim, FindingVerdict, Findings, FindingsTable};

    /// Holds: bench-verdicts.
    #[test]
    fn verdict_follows_from_bounds() {
        let at_most = Bound::AtMost(1.1, 1.05);
        assert_eq!(
            [1.0, 1.05, 1.06, 1.1, 1.11].map(|figure| at_most.evaluate(figure)),
            [
                FindingVerdict::Beaten,
                FindingVerdict::Beaten,
                FindingVerdict::Confirmed,
                FindingVerdict::Confirmed,
                FindingVerdict::Refuted,
            ]
        );
        let at_least = Bound::AtLeast(15.0, 45.0);
        assert_eq!(
            [14.9, 15.0, 45.0].map(|figure| at_least.evaluate(figure)),
            [FindingVerdict::Refuted, FindingVerdict::Confirmed, FindingVerdict::Beaten,]
        );
        assert_eq!(at_least.to_string(), "confirmed if >= 15, beaten if >= 45");
        assert_eq!(Bound::Reaches(0.5).to_string(), "confirmed if >= 0.5");
        assert_eq!(Bound::Reaches(0.5).evaluate(9.0), FindingVerdict::Confirmed);
    }

    #[test]
    fn verdict_of_row_is_that_of_worst_claim() {
        let claim = |ours| Claim::new("x", "y", ours, Bound::AtMost(2.0, 1.0));
        let findings = |claims| Findings { claims, ..Findings::default() };
        assert_eq!(
            findings(vec![claim(1.0), claim(2.0), claim(3.0).beside()]).verdict(),
            Some(FindingVerdict::Confirmed)
        );
        assert_eq!(findings(vec![claim(1.0), claim(3.0)]).verdict(), Some(FindingVerdict::Refuted));
        assert_eq!(findings(Vec::new()).verdict(), None);
    }

    #[test]
    fn table_columns_fit_widest_cell() {
        let mut table = FindingsTable::new("t", &["what", "ms"]);
        table.rows = vec![vec!["a longer name".into(), "1".into()], vec!["b".into(), "12345".into()]];
        assert_eq!(table.to_string(), "t\n\n  what              ms\n  a longer name      1\n  b              12345\n");
    }
}
