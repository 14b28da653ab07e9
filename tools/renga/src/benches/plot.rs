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
    labels.position(free_corner(plot)).background_style(WHITE).border_style(RGBColor(160, 160, 160));
    labels.label_font(("sans-serif", 14)).draw()?;
    Ok(())
}

/// A number at an axis: without digits that say nothing.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Where the labels hide no curve: above, on the side to which curves fall.
fn free_corner(plot: &Plot) -> SeriesLabelPosition {
    let ends = plot.curves.iter().filter_map(|curve| Some((curve.points.first()?.1, curve.points.last()?.1)));
    match ends.map(|(first, last)| last - first).sum::<f64>() < 0.0 {
        true => SeriesLabelPosition::UpperRight,
        false => SeriesLabelPosition::UpperLeft,
    }
}

#[cfg(test)]
mod tests {
    use super::svg;
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
}
