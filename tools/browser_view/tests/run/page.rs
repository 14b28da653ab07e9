//! The page: whole, and alone.

use crate::support::{events, header, tables, trace};
use renga_browser_view::packing::pack;
use renga_browser_view::page::{PageData, page};
use renga_browser_view::tabulator::TraceTabulator;
use renga_trace::TraceReader;
use renga_trace::format::begin;
use renga_trace::summary::summary;

fn text(title: &str) -> String {
    let run = pack(title, &tables(), &summary(&header(), &events())).expect("memory");
    page(&PageData { runs: vec![run], comparison: None }).expect("it can be written")
}

/// Holds: view-page.
#[test]
fn page_names_no_address_outside_itself() {
    let page = text("x.trace");
    for outside in
        ["http:", "https:", "//cdn", "@import", "url(", "<link", " src=", "fetch(", "XMLHttpRequest", "import("]
    {
        assert!(!page.contains(outside), "{outside}");
    }
    assert!(page.contains("default-src 'none'"), "a browser may load nothing");
}

#[test]
fn page_has_all_of_its_parts() {
    let page = text("x.trace");
    for mark in ["/*STYLE*/", "/*DATA*/", "/*CODE*/"] {
        assert!(!page.contains(mark), "{mark} was not filled");
    }
    for part in ["color-scheme", "class Timeline", "class Stage", "start().catch", "call.wire_ns"] {
        assert_eq!(page.matches(part).count().min(1), 1, "{part}");
    }
}

#[test]
fn page_text_of_trace_ends_no_element() {
    let page = text("</script><script>alert(1)</script>");
    assert_eq!(page.matches("</script>").count(), 4, "the names', the columns' two, and the code's");
}

/// Any bit of the events may be wrong: numbers of processes, boards and entries, times, frames.
#[test]
fn page_of_damaged_trace_is_made_or_refused() {
    let whole = trace(&events());
    let (_, first) = begin(&whole).expect("it is whole");
    let (mut made, mut refused) = (0, 0);
    for bit in first * 8..whole.len() * 8 {
        let mut damaged = whole.clone();
        damaged[bit / 8] ^= 1 << (bit % 8);
        let reader = TraceReader::new(&damaged).expect("the header is whole");
        let (mut tabulator, mut seen) = (TraceTabulator::new(header()), Vec::new());
        for timed in reader {
            let Ok(timed) = timed else {
                refused += 1;
                break;
            };
            tabulator.take(&timed);
            seen.push(timed);
        }
        pack("damaged", &tabulator.finish(), &summary(&header(), &seen)).expect("memory");
        made += 1;
    }
    assert!(made > 1000 && refused > 100, "{made} {refused}");
}
