//! Tables and heat maps of cells.
//!
//! Invariant: a table has a row for each point, a heat map a panel for each cluster and number of callers. Not here:
//! pixels.

use super::cell::{Cell, MARGIN_PERCENT};
use super::point::{Axes, Point};
use crate::findings::{FindingsTable, HeatMap, Panel};

/// A message's size, short.
fn bytes(size: u64) -> String {
    match size {
        1024.. => format!("{} KiB", size / 1024),
        _ => format!("{size} B"),
    }
}

/// A row for each point, a column for each size.
pub(super) fn table(axes: Axes, cells: &[Cell], title: &str, text: impl Fn(&Cell) -> String) -> FindingsTable {
    let sizes: Vec<String> = axes.sizes.iter().map(|size| bytes(*size)).collect();
    let columns: Vec<&str> = std::iter::once("").chain(sizes.iter().map(String::as_str)).collect();
    let mut table = FindingsTable::new(title, &columns);
    for of_point in cells.chunks(axes.sizes.len()) {
        let Some(Cell { point: Point { boards, callers, rate_mbit }, .. }) = of_point.first() else { continue };
        let head = format!("{boards} / {callers} / {rate_mbit}");
        table.rows.push(std::iter::once(head).chain(of_point.iter().map(&text)).collect());
    }
    table
}

/// A panel for each number of boards and callers.
pub(super) fn heat_map(axes: Axes, cells: &[Cell], what: &str, value: fn(&Cell) -> f64) -> HeatMap {
    let panel = |boards: usize, callers: u64| {
        let at = |rate_mbit: u64, size: u64| {
            let point = Point { boards, callers, rate_mbit };
            cells.iter().find(|cell| cell.point == point && cell.size == size).map(value)
        };
        let row = |rate_mbit: &u64| axes.sizes.iter().map(|size| at(*rate_mbit, *size)).collect();
        let callers = if callers == 1 { "1 caller".to_string() } else { format!("{callers} callers") };
        Panel { title: format!("{boards} boards, {callers}"), values: axes.rates_mbit.iter().map(row).collect() }
    };
    let of_boards = |boards: &usize| axes.callers.iter().map(|callers| panel(*boards, *callers)).collect::<Vec<_>>();
    HeatMap {
        title: format!("Asynchronous calls: time {what}, %"),
        signs: ["asynchronous calls take less", "more"].map(str::to_string),
        axes: ["message".to_string(), "Mbit/s".to_string()],
        columns: axes.sizes.iter().map(|size| bytes(*size)).collect(),
        rows: axes.rates_mbit.iter().map(u64::to_string).collect(),
        panels: axes.boards.iter().flat_map(of_boards).collect(),
        across: axes.callers.len(),
        framed_from: MARGIN_PERCENT,
    }
}

#[cfg(test)]
mod tests {
    use super::bytes;

    #[test]
    fn map_sizes_have_units() {
        assert_eq!([16, 1024, 65_536].map(bytes), ["16 B", "1 KiB", "64 KiB"]);
    }
}
