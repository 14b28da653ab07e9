//! The plot of a comparison: time over what varies in numbers, a curve for each combination of the rest; or bars, of
//! which each is a combination, divided into its phases.
//!
//! Not here: axes and labels of curves (`benches::plot`).

use super::findings::{ComparedCase, Comparison, OffsetSpread};
use super::variation::VariedKey;
use crate::benches::{escaped, svg};
use anyhow::Result;
use renga_bench::findings::{Curve, Plot};
use std::fmt::Write;

const NS_PER_MS: f64 = 1e6;
/// Curves that one plot shows; the table has all.
const CURVES_MAX: usize = 5;
/// An axis whose greatest value is so many times its least is logarithmic.
const LOGARITHMIC_FROM: f64 = 16.0;
/// Colours of phases, distinguishable by colour-blind readers, too (Okabe and Ito).
const COLOURS: [&str; 6] = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];
const WIDTH: f64 = 760.0;
const LABEL_WIDTH: f64 = 210.0;
const FIGURE_WIDTH: f64 = 150.0;
const BAR_HEIGHT: f64 = 22.0;
const BAR_STEP: f64 = 32.0;
const TOP: f64 = 64.0;

/// The plot as an SVG document.
///
/// # Errors
/// If plotting fails.
pub(super) fn drawn(comparison: &Comparison) -> Result<String> {
    let numeric = comparison.varied.iter().filter(|varied| varied.values.len() > 1);
    let x = numeric.filter_map(|varied| Some((varied, varied.numbers()?))).max_by_key(|(_, numbers)| numbers.len());
    match x {
        Some((varied, numbers)) => curves(comparison, varied, &numbers),
        None => Ok(bars(comparison)),
    }
}

fn ms(ns: u64) -> f64 {
    ns as f64 / NS_PER_MS
}

/// What distinguishes a combination, but for `without`.
fn label(case: &ComparedCase, without: Option<&str>) -> String {
    let rest = case.settings.iter().filter(|(key, _)| Some(key.as_str()) != without);
    // Names speak for themselves.
    let part = |(key, value): (&String, &String)| match value.parse::<f64>() {
        Ok(_) => format!("{key}={value}"),
        Err(_) => value.clone(),
    };
    let parts: Vec<String> = rest.map(part).collect();
    if parts.is_empty() { "time".to_string() } else { parts.join(", ") }
}

fn title(comparison: &Comparison) -> String {
    format!("Time of {}", comparison.facts.get("load").map_or("the load", String::as_str))
}

fn curves(comparison: &Comparison, varied: &VariedKey, numbers: &[f64]) -> Result<String> {
    let mut curves: Vec<Curve> = Vec::new();
    for case in &comparison.cases {
        let place = varied.values.iter().position(|value| case.settings.get(&varied.key) == Some(value));
        let Some(x) = place.and_then(|place| numbers.get(place)) else { continue };
        let (name, OffsetSpread { median, least, most }) = (label(case, Some(&varied.key)), case.total.ns);
        let at = curves.iter().position(|curve| curve.label == name).unwrap_or_else(|| {
            curves.push(Curve::new(name, Vec::new()));
            curves.len() - 1
        });
        curves[at].points.push((*x, ms(median)));
        curves[at].ranges.push((ms(least), ms(most)));
    }
    let cut = match curves.len() {
        count if count > CURVES_MAX => format!(", {CURVES_MAX} of {count} curves"),
        _ => String::new(),
    };
    curves.truncate(CURVES_MAX);
    for curve in &mut curves {
        let mut both: Vec<_> = curve.points.iter().copied().zip(curve.ranges.iter().copied()).collect();
        both.sort_by(|one, other| one.0.0.total_cmp(&other.0.0));
        (curve.points, curve.ranges) = both.into_iter().unzip();
        if comparison.offsets_us.len() == 1 {
            curve.ranges.clear();
        }
    }
    let is_wide = |of: fn(&(f64, f64)) -> f64| {
        let values = || curves.iter().flat_map(|curve| curve.points.iter().map(of));
        values().fold(f64::MIN, f64::max) >= LOGARITHMIC_FROM * values().fold(f64::MAX, f64::min)
    };
    let logarithmic = [is_wide(|point| point.0), is_wide(|point| point.1)];
    let axes = [varied.key.clone(), "time, ms".to_string()];
    svg(&Plot::new(title(comparison) + &cut, axes, curves).with_logarithmic(logarithmic))
}

/// A bar for each combination.
fn bars(comparison: &Comparison) -> String {
    let most = comparison.cases.iter().map(|case| case.total.ns.most).max().unwrap_or(1).max(1);
    let scale = (WIDTH - LABEL_WIDTH - FIGURE_WIDTH) / most as f64;
    let height = TOP + BAR_STEP * comparison.cases.len() as f64 + 12.0;
    let mut text = format!(
        "<svg width=\"{WIDTH}\" height=\"{height}\" viewBox=\"0 0 {WIDTH} {height}\" xmlns=\"http://www.w3.org/2000/svg\" \
         font-family=\"sans-serif\" font-size=\"14\">\n<rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#fff\"/>\n\
         <text x=\"{}\" y=\"26\" text-anchor=\"middle\" font-size=\"20\">{}, ms</text>\n",
        WIDTH / 2.0,
        escaped(&title(comparison))
    );
    let mut x = LABEL_WIDTH;
    for (name, colour) in comparison.phase_names().into_iter().zip(COLOURS.iter().cycle()) {
        // A String takes everything, here and below.
        let _ = writeln!(text, "<rect x=\"{x}\" y=\"40\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        let _ = writeln!(text, "<text x=\"{}\" y=\"51\">{}</text>", x + 17.0, escaped(name));
        x += 34.0 + 8.0 * name.len() as f64;
    }
    for (case, row) in comparison.cases.iter().zip(0u32..) {
        bar(&mut text, comparison, case, (TOP + BAR_STEP * f64::from(row), scale));
    }
    text + "</svg>\n"
}

/// The bar of a combination from `y` on, a nanosecond of which is `scale` wide.
fn bar(text: &mut String, comparison: &Comparison, case: &ComparedCase, (y, scale): (f64, f64)) {
    let (mut x, middle) = (LABEL_WIDTH, y + BAR_HEIGHT / 2.0);
    let (end, name) = (LABEL_WIDTH - 8.0, escaped(&label(case, None)));
    let _ = writeln!(text, "<text x=\"{end}\" y=\"{}\" text-anchor=\"end\">{name}</text>", middle + 5.0);
    for (name, colour) in comparison.phase_names().into_iter().zip(COLOURS.iter().cycle()) {
        let width = case.phase(name).map_or(0.0, |phase| phase.ns.median as f64 * scale);
        let _ = writeln!(
            text,
            "<rect x=\"{x:.2}\" y=\"{y}\" width=\"{width:.2}\" height=\"{BAR_HEIGHT}\" fill=\"{colour}\"/>"
        );
        x += width;
    }
    let OffsetSpread { median, least, most } = case.total.ns;
    let [from, to] = [least, most].map(|ns| LABEL_WIDTH + ns as f64 * scale);
    if least != most {
        let _ = writeln!(text, "<path d=\"M{from:.2} {middle}H{to:.2}\" stroke=\"#222\" stroke-width=\"1.5\"/>");
    }
    let _ = writeln!(text, "<text x=\"{:.2}\" y=\"{}\">{:.3}</text>", x.max(to) + 8.0, middle + 5.0, ms(median));
}
