//! The time of one caller's call, split by its dependence on the link's rate: the constant part is software and fixed
//! times, the rest is bits of the wire.
//!
//! Invariant: a fit says how far it is off.

/// A straight line through times over the reciprocal of the rate: fixed time, bits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Fitted {
    /// What is the same with every rate, ns.
    pub(super) fixed_ns: f64,
    /// What each call has on the wire, one after the other, bits.
    pub(super) bits: f64,
    /// The largest deviation of a time from the line, of a hundred of that time.
    pub(super) off_percent: f64,
}

impl Fitted {
    /// Through (rate in Mbit/s, ns); least squares of deviations relative to the times, which span two orders. `None`
    /// of fewer than two rates.
    pub(super) fn through(times: &[(u64, f64)]) -> Option<Fitted> {
        let mut sums = [0.0; 5];
        for (rate_mbit, ns) in times {
            // ns a bit.
            let (x, weight) = (1e3 / *rate_mbit as f64, 1.0 / (ns * ns));
            let terms = [weight, weight * x, weight * x * x, weight * ns, weight * x * ns];
            sums.iter_mut().zip(terms).for_each(|(sum, term)| *sum += term);
        }
        let [one, x, xx, y, xy] = sums;
        let determinant = one * xx - x * x;
        if times.len() < 2 || determinant <= f64::EPSILON * one * xx {
            return None;
        }
        let (fixed_ns, bits) = ((y * xx - x * xy) / determinant, (one * xy - x * y) / determinant);
        let off = |(rate_mbit, ns): &(u64, f64)| 100.0 * ((fixed_ns + bits * 1e3 / *rate_mbit as f64 - ns) / ns).abs();
        Some(Fitted { fixed_ns, bits, off_percent: times.iter().map(off).fold(0.0, f64::max) })
    }

    /// What the wire takes with this rate, ns.
    pub(super) fn wire_ns(&self, rate_mbit: u64) -> f64 {
        self.bits * 1e3 / rate_mbit as f64
    }

    /// Its share of all, %.
    pub(super) fn wire_percent(&self, rate_mbit: u64) -> f64 {
        let wire_ns = self.wire_ns(rate_mbit);
        100.0 * wire_ns / (self.fixed_ns + wire_ns).max(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::Fitted;

    /// Holds: bench-report.
    #[test]
    fn map_fit_separates_software_and_wire() {
        let ns = |rate_mbit: u64| (rate_mbit, 20_000.0 + 400.0 * 1e3 / rate_mbit as f64);
        let fitted = Fitted::through(&[1, 10, 100].map(ns)).unwrap();
        assert!((fitted.fixed_ns - 20_000.0).abs() < 1e-3 && (fitted.bits - 400.0).abs() < 1e-6, "{fitted:?}");
        assert!(fitted.off_percent < 1e-6 && (fitted.wire_percent(10) - 100.0 * 40.0 / 60.0).abs() < 1e-6);
        let off = Fitted::through(&[(1, 400.0), (10, 100.0), (100, 10.0)]).unwrap();
        assert!(off.off_percent > 5.0, "{off:?}");
        assert!(Fitted::through(&[(1, 400.0)]).is_none() && Fitted::through(&[(1, 4.0), (1, 5.0)]).is_none());
    }
}
