//! An axis of a plot: linear from 0 or the least below it, logarithmic with ticks at 1, 2 and 5 times powers of ten,
//! or of names.
//!
//! Invariant: positions on an axis begin at 0, so that what a linear plot computes holds for a logarithmic one. Called
//! by: `plot`.

use plotters::coord::ranged1d::{DefaultFormatting, KeyPointHint, Ranged};
use plotters::coord::types::RangedCoordf64;
use std::ops::Range;

/// Part of a logarithmic axis before its first value.
const MARGIN: f64 = 0.06;

/// From values to positions and back.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum AxisScale {
    /// The position is the value above this one: 0, or the least if that is less.
    Linear(f64),
    /// The position is the value's logarithm, above this one.
    Logarithmic(f64),
    /// So many names: the first has the positions from 0 to 1.
    Named(u16),
}

impl AxisScale {
    /// For these values, all above 0 if it is to be logarithmic.
    pub(super) fn of(values: impl Iterator<Item = f64>, is_logarithmic: bool) -> AxisScale {
        let (least, most) =
            values.fold((f64::MAX, f64::MIN), |(least, most), value| (least.min(value), most.max(value)));
        match is_logarithmic && least > 0.0 && most > least {
            true => AxisScale::Logarithmic(least.log10() - MARGIN * (most / least).log10()),
            // Below 0 there is a margin, too.
            false if least < 0.0 => AxisScale::Linear(least - MARGIN * (most.max(0.0) - least)),
            false => AxisScale::Linear(0.0),
        }
    }

    /// Where a value is.
    pub(super) fn position(self, value: f64) -> f64 {
        match self {
            AxisScale::Linear(origin) => value - origin,
            AxisScale::Logarithmic(origin) => value.log10() - origin,
            AxisScale::Named(_) => value,
        }
    }

    /// What is at a position.
    pub(super) fn value(self, position: f64) -> f64 {
        match self {
            AxisScale::Linear(origin) => position + origin,
            AxisScale::Logarithmic(origin) => 10f64.powf(position + origin),
            AxisScale::Named(_) => position,
        }
    }

    /// An axis from 0 to `most`.
    pub(super) fn axis(self, most: f64) -> PlotAxis {
        PlotAxis {
            scale: self,
            values: (self.value(0.0)..self.value(most)).into(),
            coordinates: (0.0..most).into(),
            most,
        }
    }
}

/// An axis from position 0 on.
pub(super) struct PlotAxis {
    scale: AxisScale,
    values: RangedCoordf64,
    coordinates: RangedCoordf64,
    most: f64,
}

impl PlotAxis {
    fn ticks(&self) -> Vec<f64> {
        let (first, last) = (self.scale.value(0.0), self.scale.value(self.most));
        let decades = first.log10().floor() as i32..=last.log10().ceil() as i32;
        let values = decades.flat_map(|decade| [1.0, 2.0, 5.0].map(|digit| digit * 10f64.powi(decade)));
        values.filter(|value| (first..=last).contains(value)).map(|value| self.scale.position(value)).collect()
    }
}

impl Ranged for PlotAxis {
    type FormatOption = DefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        self.coordinates.map(value, limit)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        match self.scale {
            AxisScale::Linear(_) => {
                self.values.key_points(hint).into_iter().map(|value| self.scale.position(value)).collect()
            }
            // In the middle of each.
            AxisScale::Named(names) => (0..names).map(|name| f64::from(name) + 0.5).collect(),
            AxisScale::Logarithmic(_) => self.ticks(),
        }
    }

    fn range(&self) -> Range<f64> {
        self.coordinates.range()
    }
}

#[cfg(test)]
mod tests {
    use super::AxisScale;

    #[test]
    fn axis_logarithmic_has_ticks_of_all_decades() {
        let scale = AxisScale::of([1.0, 4.0, 100.0].into_iter(), true);
        let axis = scale.axis(scale.position(100.0));
        let ticks: Vec<f64> = axis.ticks().into_iter().map(|at| scale.value(at).round()).collect();
        assert_eq!(ticks, [1.0, 2.0, 5.0, 10.0, 20.0, 50.0, 100.0]);
        assert!(scale.position(1.0) > 0.0);
    }

    #[test]
    fn axis_begins_below_the_least_value() {
        let scale = AxisScale::of([-1.0, 5.0].into_iter(), false);
        assert!(scale.position(-1.0) > 0.0 && (scale.value(scale.position(-1.0)) + 1.0).abs() < 1e-9);
    }

    #[test]
    fn axis_of_zero_or_one_value_is_linear() {
        for values in [&[0.0, 5.0][..], &[3.0, 3.0], &[]] {
            assert_eq!(AxisScale::of(values.iter().copied(), true), AxisScale::Linear(0.0), "{values:?}");
        }
        assert_eq!(AxisScale::of([1.0, 5.0].into_iter(), false).position(3.0), 3.0);
    }
}
