//! The tour of the book describes one run; its figures are those of that run.

use crate::support::{Renga, Scratch, clusters_can_run};
use std::fs;

/// How far a figure of two or three digits may be off.
const OFF_MOST: f64 = 0.03;

/// What the page says behind `words`.
fn said<'p>(page: &'p str, words: &str, end: &str) -> &'p str {
    let rest = page.split_once(words).unwrap_or_else(|| panic!("the page does not say {words:?}")).1;
    rest.split_once(end).unwrap_or_else(|| panic!("no {end:?} behind {words:?}")).0
}

/// Holds: tour-figures, trace-path.
#[test]
fn tour_figures_match_trace_of_its_command() {
    if !clusters_can_run() {
        return;
    }
    let page = fs::read_to_string("../../docs/tour.md").expect("the tour is there");
    let scratch = Scratch::new("tour");
    let trace = scratch.join("trace");
    let run = Renga::script(said(&page, "./renga run --trace t -c '", "'\n")).with(["--system", "pair", "--trace"]);
    run.with([trace.as_os_str()]).end().expect_status(0);
    let path = Renga::command(&["trace", "--path", "63"]).with([trace.as_os_str()]).end().expect_status(0).text();
    // Segments: when they begin, how long they take, who waits for whom.
    let segment = |line: &str| {
        let mut words = line.split_whitespace().skip(1);
        Some((words.next()?.parse::<u64>().ok()?, words.collect::<Vec<_>>().join(" ")))
    };
    let sum_ns = |is_meant: fn(&str) -> bool| -> u64 {
        let meant = path.lines().skip(2).filter_map(segment).filter(|(_, what)| is_meant(what));
        meant.map(|(ns, _)| ns).sum()
    };
    let link = |what: &str| what.contains("-> link ->");
    let medium = |what: &str| what.ends_with("waits for the medium");
    let words: Vec<&str> = page.split_whitespace().collect();
    let page = words.join(" ");
    for (before, unit, ns) in [
        ("The call takes ", 1e6, sum_ns(|_| true)),
        ("The link needs ", 1e6, sum_ns(link)),
        ("SD card ", 1e6, sum_ns(medium)),
        ("software of both boards ", 1e3, sum_ns(|what| !what.contains("-> link ->") && !what.ends_with("the medium"))),
    ] {
        let figure: f64 = said(&page, before, " ").parse().unwrap_or_else(|_| panic!("no figure behind {before:?}"));
        let off = (figure * unit / ns as f64 - 1.0).abs();
        assert!(off <= OFF_MOST, "{before}{figure}, but the trace says {ns} ns:\n{path}");
    }
}
