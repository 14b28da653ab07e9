//! A logarithm and an exponential that are the same on every host.

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
