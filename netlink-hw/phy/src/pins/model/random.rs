//! Numbers from a seed, and a logarithm that is the same on every host.

/// Splitmix64.
#[derive(Clone, Debug)]
pub struct Random(pub u64);

impl Random {
    /// The next number.
    pub fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    /// A number below `bound` (at least 1).
    pub fn below(&mut self, bound: u64) -> u64 {
        self.draw() % bound
    }

    /// True in `per_mille` of a thousand draws.
    pub fn chance(&mut self, per_mille: u16) -> bool {
        per_mille > 0 && self.below(1000) < u64::from(per_mille)
    }
}

/// The natural logarithm of `x > 0`, of additions and multiplications only: libraries differ in the last
/// bit, and a level that is read a nanosecond earlier is another run.
pub fn ln(x: f64) -> f64 {
    let (mut mantissa, mut twos) = (x, 0.0);
    while mantissa > 1.5 {
        mantissa /= 2.0;
        twos += 1.0;
    }
    while mantissa < 0.75 {
        mantissa *= 2.0;
        twos -= 1.0;
    }
    let z = (mantissa - 1.0) / (mantissa + 1.0);
    let (square, mut power, mut sum) = (z * z, z, 0.0);
    for odd in (1..=21).step_by(2) {
        sum += power / f64::from(odd);
        power *= square;
    }
    2.0 * sum + twos * core::f64::consts::LN_2
}

/// `exp(-x)` for `x >= 0`, likewise.
pub fn decay(x: f64) -> f64 {
    if x > 40.0 {
        return 0.0;
    }
    let (small, mut term, mut sum) = (x / 1024.0, 1.0, 1.0);
    for n in 1..8 {
        term *= -small / f64::from(n);
        sum += term;
    }
    let mut power: f64 = sum;
    for _ in 0..10 {
        power *= power;
    }
    power
}
