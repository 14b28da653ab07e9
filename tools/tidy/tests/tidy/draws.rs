//! Random draws give the same on every host: 64 bits are bounded before they are cut to the host's `usize`.
//!
//! In WebAssembly `usize` has 32 bits, so `draw() as usize % n` gives another number there than natively.

use crate::expect_none;
use crate::lexer::words;
use crate::source::{place, rust};

/// Types whose width is the host's.
const OF_THE_HOST: [&str; 2] = ["usize", "isize"];

/// Where blanked code cuts a whole draw.
fn cut_draws(code: &str) -> Vec<usize> {
    let cuts = |at: &usize| {
        let call = code[at + "draw".len()..].trim_start().strip_prefix("()");
        let target = call.and_then(|rest| rest.trim_start_matches([')', ' ', '\n']).strip_prefix("as "));
        target.is_some_and(|target| OF_THE_HOST.iter().any(|name| target.trim_start().starts_with(name)))
    };
    words(code, "draw").into_iter().filter(cuts).collect()
}

#[test]
fn draws_are_bounded_before_they_are_cut() {
    let mut violations = Vec::new();
    for source in rust() {
        violations.extend(cut_draws(&source.code).into_iter().map(|at| place(&source.path, &source.text, at)));
    }
    expect_none("`below(limit) as usize`, not `draw() as usize % limit`: the latter depends on the host", violations);
}

#[test]
fn draw_cut_to_the_width_of_the_host_is_found() {
    let bad = ["random.draw() as usize % 3", "(random.draw()) as usize", "r\n    .draw()\n    as isize"];
    assert!(bad.iter().all(|code| cut_draws(code).len() == 1));
    let good =
        ["random.below(3) as usize", "random.draw() as u8", "(random.draw() % 3) as usize", "draw(seed) as usize"];
    assert!(good.iter().all(|code| cut_draws(code).is_empty()));
}
