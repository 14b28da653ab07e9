//! Outcomes of P4's rows.

use super::Asked;
use crate::run::RunOutcome;
use crate::support::outcome;
use std::fmt::Write;

pub(super) fn outcomes(asked: &Asked<'_>) -> Vec<RunOutcome> {
    match asked.row.id {
        "P4.F2" => windows(asked),
        "P4.F8" => losses(asked),
        _ => factors(asked),
    }
}

/// Which run, and factors in thousandths, a quantity is about.
fn place(asked: &Asked<'_>) -> Option<(usize, std::ops::RangeInclusive<u32>)> {
    let ids: &[&str] = match asked.row.id {
        "P4.F6" => &["1 byte", "10 bytes", "100 bytes"],
        "P4.F7" => &["os-alone", "os-computes", "os-pauses", "lib-alone", "lib-computes", "lib-pauses"],
        "P4.F9" => &["slower", "faster"],
        "P4.SEVERAL" => &["four at once", "five at once", "four beside one that computes"],
        _ => match asked.fails {
            "from-30-os" => return Some((0, 30_000..=u32::MAX)),
            "from-30-lib-a" => return Some((1, 30_000..=u32::MAX)),
            "from-30-lib-b" => return Some((2, 30_000..=u32::MAX)),
            "os-10-to-100" => return Some((0, 10_000..=u32::MAX)),
            "os-1.1-to-5" => return Some((0, 0..=9_999)),
            "lib-10-to-100" | "os-to-lib" => return Some((3, 10_000..=u32::MAX)),
            _ => return None,
        },
    };
    ids.iter().position(|id| *id == asked.fails).map(|run| (run, 0..=u32::MAX))
}

/// As requested, except where the claim shall fail. The library beside a program that computes is far too slow.
fn factors(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let wrong = place(asked);
    let of_run = |(run, script): (usize, &str)| {
        let mut text = String::from("p4 free 1000000\np4 free-own 0\n");
        let words = script.split_whitespace().filter_map(|word| word.strip_prefix('f')?.parse::<u32>().ok());
        let mut factors: Vec<u32> = words.collect();
        factors.dedup();
        for factor in factors {
            let fails = wrong.as_ref().is_some_and(|(wrong, factors)| *wrong == run && factors.contains(&factor));
            let far = asked.row.id == "P4.F7" && run == 4;
            let percent: u64 = match (far, fails) {
                (false, false) | (true, true) => 100,
                (false, true) => 120,
                (true, false) => 300,
            };
            let _ = writeln!(text, "p4 f{factor} {}", u64::from(factor) * 10 * percent);
        }
        outcome(text)
    };
    asked.runs.iter().map(|run| run.script.as_str()).enumerate().map(of_run).collect()
}

/// wait, loop, Lib A, Lib B, Lib with our timer; alone 100.
fn losses(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let lib = |way: &str| {
        let (longer, beyond) = (format!("longer-{way}"), format!("beyond-os-{way}"));
        asked.pick(&[&longer], 120, asked.pick(&[&beyond], 107, 103))
    };
    let wait = asked.pick(&["longer-os"], 120, 105);
    let columns = [("wait", wait), ("loop", 150), ("lib", lib("lib-a")), ("lib", lib("lib-b")), ("lib", 103)];
    let text = |(column, ms): (&str, u64)| {
        let beside = [1, 2, 5, 10, 20, 50, 100].map(|factor| format!("p4 {column}-{factor} {ms}\n"));
        outcome(format!("p4 alone 100\n{}", beside.concat()))
    };
    columns.map(text).into()
}

/// wait, fixed, variable: windows of 20 reads, of which one without control takes 1 ms.
fn windows(asked: &Asked<'_>) -> Vec<RunOutcome> {
    let [error, variance, wait] =
        ["wait-error-to-fixed", "wait-variance-to-fixed", "wait-error"].map(|id| asked.fails == id);
    // In thousandths of what was requested.
    let of_wait: [u64; 2] = match (error, variance, wait) {
        (true, ..) => [1500, 1500],
        (_, true, _) => [100, 1900],
        (_, _, true) => [1050, 1050],
        _ => [1000, 1001],
    };
    let text = |each_ns: f64, windows: [u64; 2]| {
        let mut text = "p4 free 200000000\n".to_string();
        for percent in [10, 20, 30, 50, 70, 90] {
            let requested_ns = each_ns * 20.0 * 100.0 / f64::from(percent);
            let [one, other] = windows.map(|part| (requested_ns * part as f64 / 1e3) as u64);
            let _ = writeln!(text, "p4 at{percent} {one} {other} {one}");
        }
        outcome(text)
    };
    let fixed_ns = 1e9 / 1_750.0;
    vec![text(1e6, of_wait), text(fixed_ns, [500, 1700]), text(fixed_ns, [900, 1300])]
}
