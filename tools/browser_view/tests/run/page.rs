//! The page: whole, and alone.

use crate::support::{events, header, tables};
use renga_browser_view::packing::pack;
use renga_browser_view::page::{PageData, page};
use renga_trace::summary::summary;

fn text(title: &str) -> String {
    let run = pack(title, &tables(), &summary(&header(), &events())).expect("memory");
    page(&PageData { runs: vec![run], comparison: None }).expect("it can be written")
}

#[test]
fn page_names_no_address_outside_itself() {
    let page = text("x.trace");
    for outside in ["http:", "https:", "//cdn", "@import", "url(", "<link", " src=", "fetch(", "XMLHttpRequest", "import("] {
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
    assert_eq!(page.matches("</script>").count(), 2, "the data's and the code's");
}
