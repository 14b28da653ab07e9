//! The book uses the field's words: coinages that earlier versions had are gone from it.
//!
//! Not here: words that mean something else in the field (`home`, `letter`, `seat`); a reader has to decide those.

use crate::expect_none;
use crate::prose::is_exempt;
use crate::source::{Source, place, texts};

/// Coinages, and what to say instead. Compared without case.
const RETIRED: [(&str, &str); 19] = [
    ("taken home", "written back, or flushed"),
    ("takes home", "writes back, or flushes"),
    ("take home", "write back, or flush"),
    ("content_reader", "data_reader"),
    ("content_writer", "data_writeback"),
    ("content_returner", "lease_flusher"),
    ("path_walker", "lookup_worker"),
    ("whereabouts", "call location"),
    ("look at", "poll, sample, or inspect"),
    ("looks at", "polls, samples, or inspects"),
    ("knock", "probe"),
    ("parcel", "payload"),
    ("adrift", "orphaned"),
    ("overruled", "superseded"),
    ("made file", "synthetic file"),
    ("begins anew", "restarts, or reboots"),
    ("began anew", "restarted, or rebooted"),
    ("begin anew", "restart, or reboot"),
    ("times as quick", "speed-up"),
];

/// The coinages in a page.
pub fn faults(source: &Source) -> Vec<String> {
    let lower = source.text.to_ascii_lowercase();
    let mut faults = Vec::new();
    for (retired, replacement) in RETIRED {
        let starts_a_word = |at: &usize| !lower[..*at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
        let found = lower.match_indices(retired).map(|(at, _)| at).filter(starts_a_word);
        let line = |at| format!("{}: \"{retired}\": say {replacement}", place(&source.path, &source.text, at));
        faults.extend(found.map(line));
    }
    faults
}

#[test]
fn vocabulary_is_the_fields() {
    let pages = texts().into_iter().filter(|source| source.path.ends_with(".md") && !is_exempt(&source.path));
    expect_none("pages use the field's words", pages.flat_map(|page| faults(&page)).collect());
}

#[test]
fn vocabulary_coinage_is_found_as_a_word() {
    let page = |text: &str| Source { path: "a.md".into(), text: text.into() };
    assert_eq!(faults(&page("The `content_reader` reads.")), ["a.md:1: \"content_reader\": say data_reader"]);
    assert!(faults(&page("A homemade filename.")).is_empty());
}
