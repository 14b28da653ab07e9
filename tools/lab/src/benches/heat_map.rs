//! Heat maps of results as SVG: panels of coloured cells with their values, and a frame around the region of the large
//! ones.

use super::plot::{PlotArea, PlotResult};
use anyhow::{Result, anyhow};
use plotters::prelude::{
    Color, IntoDrawingArea, IntoFont, PathElement, RGBColor, Rectangle, SVGBackend, Text, TextStyle, WHITE,
};
use plotters::style::text_anchor::{HPos, Pos, VPos};
use renga_bench::findings::{HeatMap, Panel};

/// A cell, pixels.
const CELL: (i32, i32) = (50, 34);
/// Around a panel: for names of rows and columns, and its title.
const LEFT: i32 = 58;
const ABOVE: i32 = 34;
const BELOW: i32 = 50;
const RIGHT: i32 = 18;
/// For the title of all.
const HEAD: i32 = 58;
/// Blue for more than 0 and orange for less: distinguishable by colour-blind readers, too (Okabe and Ito).
const MORE: RGBColor = RGBColor(0, 114, 178);
const LESS: RGBColor = RGBColor(213, 94, 0);
const NOTHING: RGBColor = RGBColor(225, 225, 225);
const INK: RGBColor = RGBColor(30, 30, 30);
/// From this depth of colour on letters are white.
const DARK: f64 = 0.6;

/// The heat map as an SVG document.
///
/// # Errors
/// If plotting fails.
pub fn svg(map: &HeatMap) -> Result<String> {
    let mut text = String::new();
    let (across, (width, height)) = (map.across.max(1), panel_size(map));
    let lines = map.panels.len().div_ceil(across);
    let size = (width * across as i32, HEAD + height * lines as i32);
    {
        let area = SVGBackend::with_string(&mut text, (size.0 as u32, size.1 as u32)).into_drawing_area();
        draw(map, &area).map_err(|error| anyhow!("{}: {error}", map.title))?;
        area.present().map_err(|error| anyhow!("{error}"))?;
    }
    Ok(text)
}

fn panel_size(map: &HeatMap) -> (i32, i32) {
    let (columns, rows) = (map.columns.len() as i32, map.rows.len() as i32);
    (LEFT + columns * CELL.0 + RIGHT, ABOVE + rows * CELL.1 + BELOW)
}

fn draw(map: &HeatMap, area: &PlotArea<'_>) -> PlotResult {
    area.fill(&WHITE)?;
    let (width, height) = panel_size(map);
    let middle = area.dim_in_pixel().0 as i32 / 2;
    write(area, &map.title, (middle, 20), style(20, HPos::Center))?;
    let [more, less] = &map.signs;
    let framed = format!("framed: more than {} %; blue: {more}, orange: {less}", map.framed_from);
    write(area, &framed, (middle, 44), style(14, HPos::Center))?;
    for (number, panel) in map.panels.iter().enumerate() {
        let (column, line) = (number % map.across.max(1), number / map.across.max(1));
        let origin = (width * column as i32 + LEFT, HEAD + height * line as i32 + ABOVE);
        draw_panel(map, panel, area, origin)?;
    }
    Ok(())
}

fn style<'a>(size: i32, side: HPos) -> TextStyle<'a> {
    TextStyle::from(("sans-serif", size).into_font()).color(&INK).pos(Pos::new(side, VPos::Center))
}

fn write(area: &PlotArea<'_>, text: &str, at: (i32, i32), style: TextStyle<'_>) -> PlotResult {
    area.draw(&Text::new(text.to_string(), at, style))?;
    Ok(())
}

/// One panel whose cells begin at `origin`.
fn draw_panel(map: &HeatMap, panel: &Panel, area: &PlotArea<'_>, origin: (i32, i32)) -> PlotResult {
    let (x, y) = origin;
    let rows = map.rows.len() as i32;
    let (middle, bottom) = (x + map.columns.len() as i32 * CELL.0 / 2, y + rows * CELL.1);
    write(area, &panel.title, (middle, y - 16), style(16, HPos::Center))?;
    for (column, name) in (0..).zip(&map.columns) {
        write(area, name, (x + column * CELL.0 + CELL.0 / 2, bottom + 12), style(12, HPos::Center))?;
    }
    for (row, name) in (0..).zip(&map.rows) {
        write(area, name, (x - 6, bottom - row * CELL.1 - CELL.1 / 2), style(12, HPos::Right))?;
    }
    write(area, &map.axes[0], (middle, bottom + 30), style(13, HPos::Center))?;
    write(area, &map.axes[1], (x - 6, y - 12), style(13, HPos::Right))?;
    let most = map.panels.iter().flat_map(|panel| panel.values.iter().flatten().flatten());
    let most = most.fold(f64::EPSILON, |most, value| most.max(value.abs()));
    for (row, values) in (0..).zip(&panel.values) {
        for (column, value) in (0..).zip(values) {
            draw_cell(area, (x + column * CELL.0, bottom - (row + 1) * CELL.1), *value, most)?;
        }
    }
    for (from, to) in frame(map, panel) {
        let pixel = |(column, row): (i32, i32)| (x + column * CELL.0, bottom - row * CELL.1);
        area.draw(&PathElement::new(vec![pixel(from), pixel(to)], INK.stroke_width(3)))?;
    }
    Ok(())
}

fn draw_cell(area: &PlotArea<'_>, (x, y): (i32, i32), value: Option<f64>, most: f64) -> PlotResult {
    let depth = value.map_or(0.0, |value| (value.abs() / most).min(1.0));
    let toward = if value.is_some_and(|value| value < 0.0) { LESS } else { MORE };
    let mix = |of: u8| (255.0 - (255.0 - f64::from(of)) * depth) as u8;
    let colour = if value.is_some() { RGBColor(mix(toward.0), mix(toward.1), mix(toward.2)) } else { NOTHING };
    let corners = [(x, y), (x + CELL.0, y + CELL.1)];
    area.draw(&Rectangle::new(corners, colour.filled()))?;
    area.draw(&Rectangle::new(corners, NOTHING.stroke_width(1)))?;
    if let Some(value) = value {
        let ink = if depth > DARK { WHITE } else { INK };
        let text = style(13, HPos::Center).color(&ink);
        // Without the sign of what is nothing.
        let rounded = value.round() + 0.0;
        write(area, &format!("{rounded:.0}"), (x + CELL.0 / 2, y + CELL.1 / 2), text)?;
    }
    Ok(())
}

/// The sides of cells between what is to be framed and what is not, as corners of cells: column, row from below.
fn frame(map: &HeatMap, panel: &Panel) -> Vec<((i32, i32), (i32, i32))> {
    let is_in = |column: i32, row: i32| {
        let values = usize::try_from(row).ok().and_then(|row| panel.values.get(row));
        let value = usize::try_from(column).ok().and_then(|column| *values?.get(column)?);
        value.is_some_and(|value| value > map.framed_from)
    };
    let (columns, rows) = (map.columns.len() as i32, map.rows.len() as i32);
    let mut sides = Vec::new();
    for row in 0..=rows {
        for column in 0..=columns {
            let here = is_in(column, row);
            if here != is_in(column - 1, row) {
                sides.push(((column, row), (column, row + 1)));
            }
            if here != is_in(column, row - 1) {
                sides.push(((column, row), (column + 1, row)));
            }
        }
    }
    sides
}

#[cfg(test)]
mod tests {
    use super::{frame, svg};
    use renga_bench::findings::{HeatMap, Panel};

    fn map() -> HeatMap {
        let values = vec![vec![Some(40.0), Some(1.0)], vec![Some(-3.0), None]];
        HeatMap {
            title: "gains".to_string(),
            signs: ["better", "worse"].map(str::to_string),
            axes: ["message".to_string(), "Mbit/s".to_string()],
            columns: ["16 B", "64 B"].map(str::to_string).to_vec(),
            rows: ["1", "10"].map(str::to_string).to_vec(),
            panels: vec![Panel { title: "2 boards".to_string(), values }],
            across: 1,
            framed_from: 5.0,
        }
    }

    /// Holds: map-region.
    #[test]
    fn heat_map_frames_region_of_large_values() {
        let mut sides = frame(&map(), &map().panels[0]);
        sides.sort_unstable();
        // The cell below on the left.
        assert_eq!(sides, [((0, 0), (0, 1)), ((0, 0), (1, 0)), ((0, 1), (1, 1)), ((1, 0), (1, 1))]);
        let all = HeatMap { framed_from: -10.0, ..map() };
        assert_eq!(frame(&all, &all.panels[0]).len(), 8, "what was not measured is outside");
    }

    #[test]
    fn heat_map_has_panels_names_and_values() {
        let text = svg(&map()).unwrap();
        for wanted in [
            "gains",
            "2 boards",
            "16 B",
            "Mbit/s",
            "\n40\n",
            "\n-3\n",
            "more than 5 %; blue: better, orange: worse",
            "#0072B2",
        ] {
            assert!(text.contains(wanted), "no `{wanted}` in {text}");
        }
        assert_eq!(text.matches("stroke-width=\"3\"").count(), 4);
    }
}
