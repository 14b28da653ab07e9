//! A source text that holds all mutants of its sites, chosen at run time.
//!
//! Not here: where sites are (`find.rs`); which do not compile (`build.rs`).

use crate::find::{NUMBER, Site};
use std::ops::Range;

/// The environment variable with the number of the mutant that is active; 0 or none: the program as it is.
pub const ACTIVE: &str = "RENGA_MUTANT";
/// The environment variable with a file to which the number of each site is added that was reached.
pub const REACHED: &str = "RENGA_MUTANTS_REACHED";

/// The module that each instrumented crate gets.
pub const MODULE: &str = include_str!("runtime.rs.txt");

/// A text with all of `sites`, of which the first mutant of each has the number `first[i]`; and where each site lies in
/// it, bytes.
pub fn instrument(text: &str, sites: &[Site], first: &[u32]) -> (String, Vec<Range<usize>>) {
    let mut edits: Vec<_> =
        sites.iter().enumerate().flat_map(|(which, site)| site.edits.iter().map(move |edit| (which, edit))).collect();
    // At one place what ends comes first, the innermost before others; then what begins, the outermost first.
    edits.sort_by_key(|(which, edit)| {
        let begins = edit.bytes.start < sites[*which].bytes.end || edit.bytes.start == sites[*which].bytes.start;
        let depth = edit.depth as isize;
        (edit.bytes.start, begins, if begins { depth } else { -depth })
    });
    let mut out = String::with_capacity(text.len() * 4);
    let mut places: Vec<Option<Range<usize>>> = vec![None; sites.len()];
    let mut done = 0;
    for (which, edit) in edits {
        out.push_str(&text[done..edit.bytes.start]);
        let begin = out.len();
        out.push_str(&edit.text.replace(NUMBER, &first[which].to_string()));
        let start = places[which].as_ref().map_or(begin, |place| place.start);
        places[which] = Some(start..out.len());
        done = edit.bytes.end;
    }
    out.push_str(&text[done..]);
    (out, places.into_iter().map(Option::unwrap_or_default).collect())
}

#[cfg(test)]
mod tests {
    use crate::find::sites;

    fn instrumented(body: &str) -> String {
        let text = format!("fn f() -> bool {{ {body} }}");
        let sites = sites("f.rs", &text).expect("it parses");
        let first: Vec<u32> = (1..).step_by(10).take(sites.len()).collect();
        super::instrument(&text, &sites, &first).0.replace("crate::__mutant::", "m::")
    }

    #[test]
    fn instrument_nested_operators_close_in_order() {
        let text = instrumented("a + b < c * d");
        assert!(text.contains("m::lt(11, &(m::add(21, a ,  b) ), &( m::mul(31, c ,  d)))"), "{text}");
    }

    #[test]
    fn instrument_left_nested_operators_open_outermost_first() {
        let text = instrumented("a - b - c > d");
        assert!(text.contains("m::gt(11, &(m::sub(21, m::sub(31, a ,  b) ,  c) ), &( d))"), "{text}");
    }

    #[test]
    fn instrument_logic_stays_lazy() {
        let text = instrumented("a && b");
        assert!(text.contains("m::flip(11, m::flip(11, a ) && m::flip(11,  b))"), "{text}");
    }

    #[test]
    fn instrument_statement_can_be_left_out() {
        let text = instrumented("g(7); a");
        assert!(text.contains("if !m::is(11) { g((if m::is(21) { 8 } else { 7 })); }; a"), "{text}");
    }

    #[test]
    fn instrument_early_returns_follow_type() {
        let text = instrumented("a");
        assert!(text.contains("if m::is(1 + 0) { return true; }"), "{text}");
        assert!(text.contains("if m::is(1 + 1) { return false; }"), "{text}");
    }

    #[test]
    fn instrument_leaves_patterns_constants_and_tests_alone() {
        for text in [
            "const N: u32 = 1 + 2;",
            "const fn f() -> u32 { 1 + 2 }",
            "fn f(x: u32) -> char { match x { 1 => 'a', _ => 'b' } }",
            "fn f() -> [u8; 4] { g([x; 4]) }",
            "#[cfg(test)] mod tests { fn f() -> bool { a < b } }",
            "fn f() -> T { unsafe { a + 1 } }",
        ] {
            assert_eq!(sites("f.rs", text).map(|sites| sites.len()).ok(), Some(0), "{text}");
        }
    }
}
