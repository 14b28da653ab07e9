//! A table of exact figures, which knows how to show each: as it is, or as a rate over the time that it is about.
//!
//! Invariant: a value is what was counted; only what is printed is rounded.

use renga_trace::summary::exact_us;
use std::cmp::Ordering;

/// What a column's values are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Measure {
    /// Words.
    Text,
    /// Things that were counted; as a rate, so many a second.
    Count,
    /// Bytes; as a rate, millions a second.
    Bytes,
    /// Time that was spent, ns; as a rate, its share.
    Time,
    /// Time of one thing, ns.
    Mean,
    /// How many there are now.
    Level,
}

/// The form of figures.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// As they are.
    Sums,
    /// Over the time in which they added up.
    Rates,
}

/// A value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// Words.
    Text(String),
    /// What the column's measure says.
    Figure(u64),
    /// There is none.
    Nothing,
}

impl From<&str> for Value {
    fn from(text: &str) -> Value {
        Value::Text(text.to_string())
    }
}

impl From<u64> for Value {
    fn from(figure: u64) -> Value {
        Value::Figure(figure)
    }
}

/// A column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Column {
    /// What it is called.
    pub name: &'static str,
    /// What is in it.
    pub measure: Measure,
}

impl Column {
    /// Its name and unit.
    pub fn title(&self, scale: Scale) -> String {
        let unit = match (self.measure, scale) {
            (Measure::Text | Measure::Level, _) | (Measure::Count, Scale::Sums) => return self.name.to_string(),
            (Measure::Count, Scale::Rates) => "/s",
            (Measure::Bytes, Scale::Sums) => " B",
            (Measure::Bytes, Scale::Rates) => " MB/s",
            (Measure::Time, Scale::Rates) => " %",
            (Measure::Time, Scale::Sums) | (Measure::Mean, _) => " us",
        };
        format!("{}{unit}", self.name)
    }

    /// The name under which a program finds it.
    pub fn key(&self) -> String {
        let unit = match self.measure {
            Measure::Time | Measure::Mean => "_ns",
            Measure::Bytes => "_bytes",
            Measure::Text | Measure::Count | Measure::Level => "",
        };
        format!("{}{unit}", self.name.replace(' ', "_"))
    }
}

/// A row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableRow {
    /// The boards that it is about.
    pub boards: Vec<u8>,
    /// A value for each column.
    pub values: Vec<Value>,
}

/// A table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewTable {
    /// What it is about.
    pub name: &'static str,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows.
    pub rows: Vec<TableRow>,
    /// The time in which its figures have added up, ns.
    pub span_ns: u64,
}

impl ViewTable {
    /// One without rows.
    pub fn new(name: &'static str, columns: &[(&'static str, Measure)], span_ns: u64) -> ViewTable {
        let columns = columns.iter().map(|(name, measure)| Column { name, measure: *measure }).collect();
        ViewTable { name, columns, rows: Vec::new(), span_ns }
    }

    /// Keeps the rows that are about `board`.
    pub fn only(&mut self, board: u8) {
        self.rows.retain(|row| row.boards.contains(&board));
    }

    /// Sorts by a column: the most first, words from a to z; or the other way round. Equal rows stay in their order.
    pub fn sort(&mut self, column: usize, reversed: bool) {
        self.rows.sort_by(|left, right| {
            let order = match (left.values.get(column), right.values.get(column)) {
                (Some(Value::Figure(left)), Some(Value::Figure(right))) => right.cmp(left),
                (Some(Value::Text(left)), Some(Value::Text(right))) => left.cmp(right),
                (Some(Value::Nothing), Some(Value::Nothing)) => Ordering::Equal,
                (_, Some(Value::Nothing)) => Ordering::Less,
                (Some(Value::Nothing), _) => Ordering::Greater,
                _ => Ordering::Equal,
            };
            if reversed { order.reverse() } else { order }
        });
    }

    /// The displayed text of a row.
    pub fn formatted(&self, row: &TableRow, scale: Scale) -> Vec<String> {
        let values = self.columns.iter().zip(&row.values);
        values.map(|(column, value)| format_value(value, column.measure, scale, self.span_ns)).collect()
    }
}

fn format_value(value: &Value, measure: Measure, scale: Scale, span_ns: u64) -> String {
    let figure = match value {
        Value::Text(text) => return text.clone(),
        Value::Nothing => return "-".to_string(),
        Value::Figure(figure) => *figure,
    };
    match (measure, scale) {
        (Measure::Time, Scale::Sums) | (Measure::Mean, _) => exact_us(figure),
        (Measure::Time, Scale::Rates) => tenths(figure, 1_000, span_ns),
        (Measure::Count, Scale::Rates) => rounded(figure, 1_000_000_000, span_ns).to_string(),
        // Bytes a nanosecond are thousands of millions a second.
        (Measure::Bytes, Scale::Rates) => tenths(figure, 10_000, span_ns),
        _ => figure.to_string(),
    }
}

fn rounded(figure: u64, times: u128, span_ns: u64) -> u128 {
    let span = u128::from(span_ns.max(1));
    (u128::from(figure) * times + span / 2) / span
}

fn tenths(figure: u64, times: u128, span_ns: u64) -> String {
    let tenths = rounded(figure, times, span_ns);
    format!("{}.{}", tenths / 10, tenths % 10)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_figures_are_sums_or_rates() {
        let show = |figure: u64, measure, scale| format_value(&Value::Figure(figure), measure, scale, 500_000_000);
        assert_eq!(show(125_000_000, Measure::Time, Scale::Rates), "25.0");
        assert_eq!(show(125_000_001, Measure::Time, Scale::Sums), "125000.001");
        assert_eq!(show(40, Measure::Count, Scale::Rates), "80");
        assert_eq!(show(40, Measure::Count, Scale::Sums), "40");
        assert_eq!(show(2_500_000, Measure::Bytes, Scale::Rates), "5.0");
        assert_eq!(show(1_234, Measure::Mean, Scale::Rates), "1.234");
        assert_eq!(format_value(&Value::Figure(7), Measure::Time, Scale::Rates, 0), "700.0", "of no time at all");
    }

    #[test]
    fn table_rows_are_sorted_and_filtered() {
        let row =
            |name: &str, board: u8, figure: Value| TableRow { boards: vec![board], values: vec![name.into(), figure] };
        let mut table = ViewTable::new("x", &[("name", Measure::Text), ("calls", Measure::Count)], 1);
        table.rows = vec![row("c", 0, 5.into()), row("a", 1, Value::Nothing), row("b", 0, 9.into())];
        let names = |table: &ViewTable| -> String {
            table.rows.iter().map(|row| table.formatted(row, Scale::Sums)[0].clone()).collect()
        };
        table.sort(1, false);
        assert_eq!(names(&table), "bca");
        table.sort(1, true);
        assert_eq!(names(&table), "acb");
        table.sort(0, false);
        assert_eq!(names(&table), "abc");
        table.only(0);
        assert_eq!(names(&table), "bc");
    }
}
