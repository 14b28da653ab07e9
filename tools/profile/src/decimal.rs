//! Decimal numbers as whole numbers of a smaller unit, without rounding: 0.05 ms are 50,000 ns.

/// `text` in units of which `unit` (a power of ten) make one; `None` if it is no such number, or finer than the unit.
pub(crate) fn parse(text: &str, unit: u64) -> Option<u64> {
    let (whole, part) = text.split_once('.').unwrap_or((text, ""));
    let digits = unit.ilog10() as usize;
    let all_digits = |text: &str| text.bytes().all(|byte| byte.is_ascii_digit());
    let has_digits = !whole.is_empty() && (part.is_empty() != text.contains('.'));
    if !has_digits || !all_digits(whole) || !all_digits(part) || part.len() > digits {
        return None;
    }
    let part: u64 = format!("{part:0<digits$}0").parse::<u64>().ok()? / 10;
    whole.parse::<u64>().ok()?.checked_mul(unit)?.checked_add(part)
}

/// The inverse of [`parse`], as short as it can be.
pub(crate) fn show(value: u64, unit: u64) -> String {
    let digits = unit.ilog10() as usize;
    match value % unit {
        0 => (value / unit).to_string(),
        part => format!("{}.{}", value / unit, format!("{part:0>digits$}").trim_end_matches('0')),
    }
}

#[cfg(test)]
mod tests {
    use super::{parse, show};

    #[test]
    fn decimal_round_trip_is_exact() {
        for (text, unit, value) in
            [("0.05", 1_000_000, 50_000), ("18", 1_000_000, 18_000_000), ("1024", 1, 1024), ("0.889", 1000, 889)]
        {
            assert_eq!(parse(text, unit), Some(value), "{text}");
            assert_eq!(show(value, unit), text);
        }
        assert_eq!(parse("2.50", 1000), Some(2500));
    }

    #[test]
    fn decimal_nonsense_is_none() {
        for text in ["", ".", "1.", ".5", "-1", "+1", "1e3", "1_000", "0x10", " 1", "0.0001", "18446744073709551616"] {
            assert_eq!(parse(text, 1000), None, "{text}");
        }
        assert_eq!(parse("1.0", 1), None, "nanoseconds have no parts");
    }
}
