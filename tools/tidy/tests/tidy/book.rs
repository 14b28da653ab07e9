//! The book: its summary names all pages.

use crate::expect_none;
use crate::source::{root, texts};

const SUMMARY: &str = "docs/SUMMARY.md";

#[test]
fn book_page_without_a_line_in_the_summary_is_refused() {
    let summary = std::fs::read_to_string(root().join(SUMMARY)).expect("the summary is there");
    let pages = texts().into_iter().filter_map(|source| Some(source.path.strip_prefix("docs/")?.to_string()));
    let pages = pages.filter(|page| page.ends_with(".md") && page != "SUMMARY.md");
    let left_out = pages.filter(|page| !summary.contains(&format!("]({page})")));
    expect_none("docs/SUMMARY.md names every page below docs", left_out.collect());
}
