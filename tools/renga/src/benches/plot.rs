//! Plots of results as SVG.

use anyhow::{Result, anyhow};
use plotters::prelude::{
    ChartBuilder, Circle, Color, IntoDrawingArea, IntoFont, LineSeries, PathElement, RGBColor, SVGBackend,
    SeriesLabelPosition, WHITE,
};
use renga_bench::findings::Plot;

const SIZE: (u32, u32) = (760, 420);
/// Told apart also by those who see colours otherwise (Okabe and Ito).
const COLOURS: [RGBColor; 4] =
    [RGBColor(0, 114, 178), RGBColor(213, 94, 0), RGBColor(0, 158, 115), RGBColor(204, 121, 167)];
/// Room above the highest point.
const HEADROOM: f64 = 1.06;

/// The plot as an SVG document.
///
/// # Errors
/// If it cannot be drawn.
pub fn svg(plot: &Plot) -> Result<String> {
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(|error| anyhow!("{error}"))?;
        draw(plot, &area).map_err(|error| anyhow!("{}: {error}", plot.title))?;
        area.present().map_err(|error| anyhow!("{error}"))?;
    }
    Ok(text)
}

type Area<'a> = plotters::drawing::DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

fn draw(plot: &Plot, area: &Area<'_>) -> std::result::Result<(), Box<dyn std::error::Error>> {
    let points = || plot.curves.iter().flat_map(|curve| &curve.points);
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(0.0, f64::max);
    // Of points that are all at 0, one unit is shown.
    let x_most = Some(most(|point| point.0)).filter(|most| *most > 0.0).unwrap_or(1.0);
    let y_most = most(|point| point.1).max(1e-9) * HEADROOM;
    let mut chart = ChartBuilder::on(area)
        .caption(&plot.title, ("sans-serif", 20).into_font())
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(0.0..x_most, 0.0..y_most)?;
    let [x, y] = &plot.axes;
    let mesh = &mut chart.configure_mesh();
    mesh.x_desc(x).y_desc(y).label_style(("sans-serif", 14)).light_line_style(WHITE);
    mesh.x_label_formatter(&|number| short(*number)).y_label_formatter(&|number| short(*number)).draw()?;
    for (place, (curve, colour)) in plot.curves.iter().zip(COLOURS.iter().cycle()).enumerate() {
        let colour = *colour;
        // Those below are wider, so that curves which fall together are seen.
        let width = 2 + 2 * (plot.curves.len() - 1 - place).min(2) as u32;
        let line = LineSeries::new(curve.points.iter().copied(), colour.stroke_width(width));
        let label = chart.draw_series(line)?.label(&curve.label);
        label.legend(move |(x, y)| PathElement::new(vec![(x, y), (x + 20, y)], colour.stroke_width(width)));
        chart.draw_series(curve.points.iter().map(|point| Circle::new(*point, width + 1, colour.filled())))?;
    }
    let labels = &mut chart.configure_series_labels();
    labels.position(least_hidden(plot, x_most, y_most)).background_style(WHITE).border_style(RGBColor(160, 160, 160));
    labels.label_font(("sans-serif", 14)).draw()?;
    Ok(())
}

/// A number at an axis: without digits that say nothing.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Where labels may be, in the order in which they are tried, and where the middle of that is: shares of width and height.
const PLACES: [(SeriesLabelPosition, [f64; 2]); 6] = [
    (SeriesLabelPosition::UpperLeft, [0.2, 0.85]),
    (SeriesLabelPosition::UpperRight, [0.8, 0.85]),
    (SeriesLabelPosition::MiddleLeft, [0.2, 0.5]),
    (SeriesLabelPosition::MiddleRight, [0.8, 0.5]),
    (SeriesLabelPosition::LowerLeft, [0.2, 0.15]),
    (SeriesLabelPosition::LowerRight, [0.8, 0.15]),
];
/// What labels take to each side of their middle.
const LABELS_HALF: [f64; 2] = [0.2, 0.15];
/// Points of a line between two of its curve at which is looked whether it is hidden.
const LOOKS: u8 = 8;

/// The first place where the labels hide the least of the curves.
fn least_hidden(plot: &Plot, x_most: f64, y_most: f64) -> SeriesLabelPosition {
    let hides = |middle: [f64; 2], (x, y): (f64, f64)| {
        let off = [x / x_most - middle[0], y / y_most - middle[1]];
        off.iter().zip(LABELS_HALF).all(|(off, half)| off.abs() <= half)
    };
    let lines = || plot.curves.iter().flat_map(|curve| curve.points.windows(2));
    let hidden = |middle: [f64; 2]| {
        let looks = lines().flat_map(|line| {
            let [from, to] = [line[0], line[1]];
            (0..=LOOKS).map(move |look| {
                let part = f64::from(look) / f64::from(LOOKS);
                (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
            })
        });
        looks.filter(|&point| hides(middle, point)).count()
    };
    let [(first, _), ..] = PLACES;
    PLACES.into_iter().min_by_key(|(_, middle)| hidden(*middle)).map_or(first, |(place, _)| place)
}

#[cfg(test)]
mod tests {
    use super::{SeriesLabelPosition, least_hidden, svg};
    use renga_bench::findings::{Curve, Plot};

    #[test]
    fn a_plot_has_its_title_its_axes_and_its_curves() {
        let curve = |label: &str| Curve { label: label.to_string(), points: vec![(0.0, 1.0), (2.0, 3.0)] };
        let axes = ["pause, ms".to_string(), "time, ms".to_string()];
        let plot = Plot { title: "a pipe".to_string(), axes, curves: vec![curve("one board"), curve("two boards")] };
        let text = svg(&plot).unwrap();
        for wanted in
            ["a pipe", "pause, ms", "time, ms", "one board", "two boards", "<circle", "<polyline", "\n0.5\n", "\n2\n"]
        {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert_eq!([0.0, 450.0, 0.25].map(super::short), ["0", "450", "0.25"]);
        // The first of two curves is wider than the second, which may lie on it.
        assert!(text.contains("stroke-width=\"4\"") && text.contains("stroke-width=\"2\""), "{text}");
    }

    #[test]
    fn labels_hide_no_peak_that_has_room_elsewhere() {
        let place = |points: &[(f64, f64)]| {
            let curves = vec![Curve { label: "steps".to_string(), points: points.to_vec() }];
            least_hidden(&Plot { title: String::new(), axes: [String::new(), String::new()], curves }, 10.0, 10.0)
        };
        let is =
            |place, wanted: SeriesLabelPosition| core::mem::discriminant(&place) == core::mem::discriminant(&wanted);
        assert!(is(place(&[(0.0, 0.0), (10.0, 10.0)]), SeriesLabelPosition::UpperLeft), "a curve that rises");
        assert!(is(place(&[(0.0, 10.0), (10.0, 0.0)]), SeriesLabelPosition::UpperRight), "one that falls");
        let peaks = [(0.0, 4.5), (2.0, 9.0), (2.2, 4.5), (8.0, 4.5), (8.2, 9.0), (8.4, 4.5), (10.0, 4.5)];
        assert!(is(place(&peaks), SeriesLabelPosition::LowerLeft), "peaks on either side");
    }
}
