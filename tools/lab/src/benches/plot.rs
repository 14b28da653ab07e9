//! Plots of results as SVG.

use super::axis::{AxisScale, PlotAxis};
use anyhow::{Result, anyhow};
use plotters::prelude::{
    ChartBuilder, Circle, Color, Cross, DashedLineSeries, EmptyElement, IntoDrawingArea, IntoFont, LineSeries,
    PathElement, RGBColor, Rectangle, SVGBackend, SeriesLabelPosition, WHITE,
};
use renga_bench::findings::{Curve, Plot};

const SIZE: (u32, u32) = (760, 420);
/// Distinguishable by colour-blind readers, too (Okabe and Ito).
const COLOURS: [RGBColor; 5] = [
    RGBColor(0, 114, 178),
    RGBColor(213, 94, 0),
    RGBColor(0, 158, 115),
    RGBColor(204, 121, 167),
    RGBColor(230, 159, 0),
];
/// What was published.
const PUBLISHED: RGBColor = RGBColor(30, 30, 30);
/// Of lines, and of the marks at their points, pixels.
const LINE_WIDTH: u32 = 2;
const MARK: i32 = 4;
/// What the bars of a name take of its width.
const BARS_WIDTH: f64 = 0.8;
/// Room above the highest point.
const HEADROOM: f64 = 1.06;

/// The plot as an SVG document.
///
/// # Errors
/// If plotting fails.
pub fn svg(plot: &Plot) -> Result<String> {
    let points = || plot.curves.iter().flat_map(|curve| &curve.points);
    let ends = plot.curves.iter().flat_map(|curve| &curve.ranges).flat_map(|(least, most)| [*least, *most]);
    let x_scale = match plot.categories.len() {
        0 => AxisScale::of(points().map(|point| point.0), plot.logarithmic[0]),
        names => AxisScale::Named(names.try_into().unwrap_or(u16::MAX)),
    };
    let y_scale = AxisScale::of(points().map(|point| point.1).chain(ends), plot.logarithmic[1]);
    let at = |(x, y): &(f64, f64)| (x_scale.position(*x), y_scale.position(*y));
    let range = |(least, most): &(f64, f64)| (y_scale.position(*least), y_scale.position(*most));
    let curve = |curve: &Curve| Curve {
        points: curve.points.iter().map(at).collect(),
        ranges: curve.ranges.iter().map(range).collect(),
        ..curve.clone()
    };
    let placed = Plot { curves: plot.curves.iter().map(curve).collect(), ..plot.clone() };
    let mut text = String::new();
    {
        let area = SVGBackend::with_string(&mut text, SIZE).into_drawing_area();
        area.fill(&WHITE).map_err(|error| anyhow!("{error}"))?;
        draw(&placed, [x_scale, y_scale], &area).map_err(|error| anyhow!("{}: {error}", plot.title))?;
        area.present().map_err(|error| anyhow!("{error}"))?;
    }
    Ok(text)
}

pub(super) type PlotArea<'a> = plotters::drawing::DrawingArea<SVGBackend<'a>, plotters::coord::Shift>;

type Chart<'a, 'b> =
    plotters::chart::ChartContext<'a, SVGBackend<'b>, plotters::coord::cartesian::Cartesian2d<PlotAxis, PlotAxis>>;
pub(super) type PlotResult<T = ()> = std::result::Result<T, Box<dyn std::error::Error>>;

/// Draws `plot`, whose points are positions on axes of these scales.
fn draw(plot: &Plot, [x_scale, y_scale]: [AxisScale; 2], area: &PlotArea<'_>) -> PlotResult {
    let points = || plot.curves.iter().flat_map(|curve| &curve.points);
    let most = |of: fn(&(f64, f64)) -> f64| points().map(of).fold(0.0, f64::max);
    // If all points are at 0, the axis covers one unit.
    let x_most = match x_scale {
        AxisScale::Named(names) => f64::from(names),
        _ => Some(most(|point| point.0)).filter(|most| *most > 0.0).unwrap_or(1.0),
    };
    let ranges = plot.curves.iter().flat_map(|curve| &curve.ranges);
    let highest = ranges.map(|range| range.1).fold(most(|point| point.1), f64::max);
    let (y_most, place) = height(plot, x_most, highest.max(1e-9) * HEADROOM);
    let mut chart = ChartBuilder::on(area)
        .caption(&plot.title, ("sans-serif", 20).into_font())
        .margin(12)
        .x_label_area_size(42)
        .y_label_area_size(64)
        .build_cartesian_2d(x_scale.axis(x_most), y_scale.axis(y_most))?;
    let [x, y] = &plot.axes;
    let mesh = &mut chart.configure_mesh();
    mesh.x_desc(x).y_desc(y).label_style(("sans-serif", 14)).light_line_style(WHITE);
    let name = |at: f64| plot.categories.get(at as usize).cloned().unwrap_or_default();
    let at_x = |at: &f64| if plot.categories.is_empty() { short(x_scale.value(*at)) } else { name(*at) };
    let at_y = |at: &f64| short(y_scale.value(*at));
    mesh.x_label_formatter(&at_x).y_label_formatter(&at_y);
    if !plot.categories.is_empty() {
        mesh.disable_x_mesh();
    }
    mesh.draw()?;
    if plot.categories.is_empty() {
        plot.curves.iter().enumerate().try_for_each(|(place, curve)| draw_curve(&mut chart, curve, place))?;
    } else {
        draw_bars(&mut chart, plot, y_scale.position(0.0).max(0.0))?;
    }
    let labels = &mut chart.configure_series_labels();
    labels.position(place).background_style(WHITE).border_style(RGBColor(160, 160, 160));
    labels.label_font(("sans-serif", 14)).draw()?;
    Ok(())
}

/// Draws the curve number `place`: a line and marks of its own; marks alone if it was published.
fn draw_curve<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, curve: &Curve, place: usize) -> PlotResult {
    let colour = if curve.is_published { PUBLISHED } else { colour(place) };
    let points = || curve.points.iter().copied();
    if curve.is_published {
        let marks = chart.draw_series(points().map(published))?.label(&curve.label);
        marks.legend(move |(x, y)| published((x + 10, y)));
        return Ok(());
    }
    let style = colour.stroke_width(LINE_WIDTH);
    // Each second line is broken, so that what it lies on is seen.
    match place % 2 {
        0 => chart.draw_series(LineSeries::new(points(), style))?,
        _ => chart.draw_series(DashedLineSeries::new(points(), 8, 5, style))?,
    };
    let outlined = move || PathElement::new(outline(place), colour.stroke_width(1));
    let mark = |point| EmptyElement::at(point) + Circle::new((0, 0), LINE_WIDTH, colour.filled()) + outlined();
    chart.draw_series(points().map(mark))?.label(&curve.label).legend(move |(x, y)| {
        EmptyElement::at((x + 10, y)) + PathElement::new(vec![(-10, 0), (10, 0)], style) + outlined()
    });
    let lines = curve.points.iter().zip(&curve.ranges).map(|((x, _), (least, most))| vec![(*x, *least), (*x, *most)]);
    chart.draw_series(lines.map(|line| PathElement::new(line, colour.stroke_width(1))))?;
    Ok(())
}

/// Draws bars from `base` on, side by side at each name. What was published is a mark on the bar of its label.
fn draw_bars<'a, 'b: 'a>(chart: &mut Chart<'a, 'b>, plot: &Plot, base: f64) -> PlotResult {
    let measured: Vec<&Curve> = plot.curves.iter().filter(|curve| !curve.is_published).collect();
    let width = BARS_WIDTH / measured.len().max(1) as f64;
    let left = |place: usize, x: f64| x + (1.0 - BARS_WIDTH) / 2.0 + width * place as f64;
    for (place, curve) in measured.iter().enumerate() {
        let style = colour(place).filled();
        let bar = |&(x, y): &(f64, f64)| Rectangle::new([(left(place, x), base), (left(place, x) + width, y)], style);
        let bars = chart.draw_series(curve.points.iter().map(bar))?.label(&curve.label);
        bars.legend(move |(x, y)| Rectangle::new([(x + 4, y - 6), (x + 16, y + 6)], style));
        let middle = |x: f64| left(place, x) + width / 2.0;
        let ranges = curve.points.iter().zip(&curve.ranges);
        let lines = ranges.map(|((x, _), (least, most))| vec![(middle(*x), *least), (middle(*x), *most)]);
        chart.draw_series(lines.map(|line| PathElement::new(line, PUBLISHED.stroke_width(1))))?;
    }
    let mut is_named = false;
    for curve in plot.curves.iter().filter(|curve| curve.is_published) {
        let place = measured.iter().position(|measured| measured.label == curve.label);
        let at = |x: f64| place.map_or(x + 0.5, |place| left(place, x) + width / 2.0);
        let marks = chart.draw_series(curve.points.iter().map(|(x, y)| published((at(*x), *y))))?;
        if !is_named {
            marks.label("published").legend(|(x, y)| published((x + 10, y)));
            is_named = true;
        }
    }
    Ok(())
}

fn colour(place: usize) -> RGBColor {
    COLOURS[place % COLOURS.len()]
}

/// The outline of the mark of the curve number `place` around its point, pixels.
fn outline(place: usize) -> Vec<(i32, i32)> {
    const OUTLINES: [&[(i32, i32)]; 5] = [
        &[(-1, -1), (1, -1), (1, 1), (-1, 1), (-1, -1)],
        &[(-1, 1), (0, -1), (1, 1), (-1, 1)],
        &[(0, -1), (1, 0), (0, 1), (-1, 0), (0, -1)],
        &[(-1, -1), (1, -1), (0, 1), (-1, -1)],
        &[(-1, 0), (1, 0)],
    ];
    OUTLINES[place % OUTLINES.len()].iter().map(|(x, y)| (x * MARK, y * MARK)).collect()
}

/// The mark of what was published.
fn published<C>(at: C) -> Cross<C, i32> {
    Cross::new(at, MARK + 2, PUBLISHED.stroke_width(3))
}

/// A number at an axis: without digits that say nothing.
fn short(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// Where labels may be, in the order in which they are tried, and where their box begins: shares of what the box leaves
/// of width and height, from the lower left.
const PLACES: [(SeriesLabelPosition, [f64; 2]); 9] = [
    (SeriesLabelPosition::UpperLeft, [0.0, 1.0]),
    (SeriesLabelPosition::UpperRight, [1.0, 1.0]),
    (SeriesLabelPosition::MiddleLeft, [0.0, 0.5]),
    (SeriesLabelPosition::MiddleRight, [1.0, 0.5]),
    (SeriesLabelPosition::LowerLeft, [0.0, 0.0]),
    (SeriesLabelPosition::LowerRight, [1.0, 0.0]),
    (SeriesLabelPosition::UpperMiddle, [0.5, 1.0]),
    (SeriesLabelPosition::MiddleMiddle, [0.5, 0.5]),
    (SeriesLabelPosition::LowerMiddle, [0.5, 0.0]),
];
/// What labels take, with their margins: of the width with the longest of so many letters, and of the height.
const LETTER_WIDTH: f64 = 7.2 / PLOT_SIZE[0];
const KEY_WIDTH: f64 = 70.0 / PLOT_SIZE[0];
const LABEL_HEIGHT: f64 = 18.0 / PLOT_SIZE[1];
const FRAME_HEIGHT: f64 = 28.0 / PLOT_SIZE[1];
/// What curves have of the picture.
const PLOT_SIZE: [f64; 2] = [672.0, 328.0];
/// Labels get at most this part of the height for themselves.
const HIGHEST_LABELS: f64 = 0.5;
/// Segments into which each line between two points of a curve is divided to count hidden samples.
const SAMPLES: u8 = 8;

/// What the box of labels takes, as shares of width and height.
fn labels_size(plot: &Plot) -> [f64; 2] {
    let longest = plot.curves.iter().map(|curve| curve.label.chars().count()).max().unwrap_or(0);
    [KEY_WIDTH + LETTER_WIDTH * longest as f64, FRAME_HEIGHT + LABEL_HEIGHT * plot.curves.len() as f64]
        .map(|part| part.min(1.0))
}

/// The first place where the labels hide the least of the curves, and how many samples of the curves it hides.
fn least_hidden(plot: &Plot, x_most: f64, y_most: f64) -> (SeriesLabelPosition, usize) {
    let size = labels_size(plot);
    let hides = |place: [f64; 2], (x, y): (f64, f64)| {
        let at = [x / x_most, y / y_most];
        (0..2).all(|axis| {
            let begin = place[axis] * (1.0 - size[axis]);
            (begin..=begin + size[axis]).contains(&at[axis])
        })
    };
    let lines = || plot.curves.iter().flat_map(|curve| curve.points.windows(2));
    let hidden = |place: [f64; 2]| {
        let samples = lines().flat_map(|line| {
            let [from, to] = [line[0], line[1]];
            (0..=SAMPLES).map(move |sample| {
                let part = f64::from(sample) / f64::from(SAMPLES);
                (from.0 + (to.0 - from.0) * part, from.1 + (to.1 - from.1) * part)
            })
        });
        samples.filter(|&point| hides(place, point)).count()
    };
    let all = PLACES.into_iter().map(|(place, at)| (place, hidden(at)));
    all.min_by_key(|(_, hidden)| *hidden).unwrap_or((SeriesLabelPosition::UpperLeft, 0))
}

/// How high the plot is, and where its labels are: where they hide nothing; there is room above the curves if there is
/// no such place.
fn height(plot: &Plot, x_most: f64, y_most: f64) -> (f64, SeriesLabelPosition) {
    match least_hidden(plot, x_most, y_most) {
        (place, 0) => (y_most, place),
        _ => (y_most / (1.0 - labels_size(plot)[1].min(HIGHEST_LABELS)), SeriesLabelPosition::UpperLeft),
    }
}

#[cfg(test)]
mod tests {
    use super::{SeriesLabelPosition, least_hidden, svg};
    use renga_bench::findings::{Curve, Plot};

    #[test]
    fn plot_has_title_axes_and_curves() {
        let curve = |label: &str| Curve::new(label.to_string(), vec![(0.0, 1.0), (2.0, 3.0)]);
        let axes = ["pause, ms".to_string(), "time, ms".to_string()];
        let plot = Plot::new("a pipe".to_string(), axes, vec![curve("one board"), curve("two boards")]);
        let text = svg(&plot).unwrap();
        for wanted in
            ["a pipe", "pause, ms", "time, ms", "one board", "two boards", "<circle", "<polyline", "\n0.5\n", "\n2\n"]
        {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        assert_eq!([0.0, 450.0, 0.25].map(super::short), ["0", "450", "0.25"]);
    }

    #[test]
    fn plot_logarithmic_has_ranges_and_round_ticks() {
        let curve = Curve::new("sync".to_string(), vec![(1.0, 900.0), (100.0, 9.0)]);
        let curves = vec![Curve { ranges: vec![(850.0, 950.0), (8.0, 10.0)], ..curve }];
        let plot = Plot::new("times", ["rate", "ms"], curves.clone()).with_logarithmic([true, true]);
        let text = svg(&plot).unwrap();
        for wanted in ["\n1\n", "\n20\n", "\n100\n", "\n500\n"] {
            assert!(text.contains(wanted), "{wanted}: {text}");
        }
        let lines = |text: &str| text.matches("<polyline").count();
        let without = Plot { curves: vec![Curve { ranges: Vec::new(), ..curves[0].clone() }], ..plot };
        assert_eq!(lines(&text), lines(&svg(&without).unwrap()) + 2);
    }

    #[test]
    fn plot_of_bars_has_names_and_marks_of_published_values() {
        let curve = |label: &str, y: f64| Curve::new(label, vec![(0.0, y), (1.0, 2.0 * y)]);
        let names = ["make", "grep"].map(str::to_string).to_vec();
        let curves = vec![curve("EII", 1.0), curve("IPD", 2.0), Curve::published("IPD", vec![(0.0, 3.0)])];
        let text = svg(&Plot::new("jobs", ["program", "time / time alone"], curves).of_bars(names)).unwrap();
        for wanted in ["\nmake\n", "\ngrep\n", "\nEII\n", "\nIPD\n", "\npublished\n"] {
            assert_eq!(text.matches(wanted).count(), 1, "{wanted}: {text}");
        }
        let bars = |colour: &str| {
            let those = text.lines().filter(|line| line.starts_with("<rect") && line.contains(colour));
            those.map(|bar| numbers(bar, ["x", "y", "width", "height"])).collect::<Vec<_>>()
        };
        let ([eii, ..], [ipd, ..]) = (&bars("#0072B2")[..], &bars("#D55E00")[..]) else { panic!("{text}") };
        assert!((ipd[3] / eii[3] - 2.0).abs() < 0.05 && ipd[0] >= eii[0] + eii[2] - 1.0, "{eii:?} {ipd:?}");
    }

    #[test]
    fn plot_of_values_below_zero_clips_nothing() {
        let curves = vec![Curve::new("noise", vec![(1.0, -0.5), (2.0, 1.0)])];
        let text = svg(&Plot::new("steps", ["step", "longer, %"], curves)).unwrap();
        let points = text.lines().filter(|line| line.starts_with("<circle"));
        let ys: Vec<f64> = points.map(|point| numbers(point, ["cx", "cy", "r", ""])[1]).collect();
        assert!(ys.len() == 2 && ys.iter().all(|y| (30.0..366.0).contains(y)), "{ys:?}: {text}");
        assert!(text.contains("\n0\n"), "{text}");
    }

    fn plot_of(curves: &[&[(f64, f64)]]) -> Plot {
        let curve = |points: &&[(f64, f64)]| Curve::new("stream, memory for all of it", points.to_vec());
        let axes = ["step".to_string(), "%".to_string()];
        Plot::new("each step".to_string(), axes, curves.iter().map(curve).collect())
    }

    #[test]
    fn plot_labels_avoid_peaks() {
        let place = |points: &[(f64, f64)]| least_hidden(&plot_of(&[points]), 10.0, 10.0).0;
        let is =
            |place, wanted: SeriesLabelPosition| core::mem::discriminant(&place) == core::mem::discriminant(&wanted);
        assert!(is(place(&[(0.0, 0.0), (10.0, 10.0)]), SeriesLabelPosition::UpperLeft), "a curve that rises");
        assert!(is(place(&[(0.0, 10.0), (10.0, 0.0)]), SeriesLabelPosition::UpperRight), "one that falls");
        let peaks = [(0.0, 4.5), (2.0, 9.0), (2.2, 4.5), (8.0, 4.5), (8.2, 9.0), (8.4, 4.5), (10.0, 4.5)];
        assert!(is(place(&peaks), SeriesLabelPosition::LowerLeft), "peaks on either side");
    }

    /// The numbers of an element's attributes.
    fn numbers(element: &str, names: [&str; 4]) -> [f64; 4] {
        names.map(|name| {
            let (_, rest) = element.split_once(&format!(" {name}=\"")).unwrap_or(("", "0\""));
            rest.split_once('"').and_then(|(number, _)| number.parse().ok()).unwrap_or(0.0)
        })
    }

    /// The points of an SVG document that its box of labels, the last element, covers.
    fn under_labels(svg: &str) -> usize {
        let elements = |kind: &'static str| svg.lines().filter(move |line| line.starts_with(kind));
        let frame = elements("<rect").next_back().expect("a box of labels");
        let [x, y, width, height] = numbers(frame, ["x", "y", "width", "height"]);
        let points = elements("<circle").map(|point| numbers(point, ["cx", "cy", "r", ""]));
        let is_under = |[cx, cy, ..]: [f64; 4]| (x..=x + width).contains(&cx) && (y..=y + height).contains(&cy);
        points.filter(|point| is_under(*point)).count()
    }

    /// As P3.FAR had it: the labels lay on curves at half of the height, which dip anywhere, while one curve is at the
    /// bottom.
    #[test]
    fn plot_labels_avoid_points_of_crowded_plot() {
        let steps = || (2..=60).map(f64::from);
        let dips = |every: f64| -> Vec<_> {
            let height = |step: f64| match (step % every).min(every - step % every) {
                off if off < 1.0 => 3.4,
                off if off < 2.0 => 6.5,
                _ => 9.6 + (step % 2.0) * 1.2,
            };
            steps().map(|step| (step, height(step))).collect()
        };
        let (base, wide, narrow): (Vec<_>, _, _) = (steps().map(|step| (step, 0.0)).collect(), dips(17.0), dips(7.0));
        let peaks: Vec<_> = steps().map(|step| (step, if step % 11.0 < 1.0 { 12.7 } else { 9.5 })).collect();
        let curves = [&base[..], &wide[..], &narrow[..], &peaks[..]];
        for count in 1..=curves.len() {
            assert_eq!(under_labels(&svg(&plot_of(&curves[..count])).unwrap()), 0, "{count} curves");
        }
    }
}
