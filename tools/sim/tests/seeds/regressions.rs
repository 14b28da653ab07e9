//! Seeds that failed once, with what was wrong.

use renga_sim::calls;
use renga_sim::cut::Cut;

/// A seed of calls between boards, how many boards if not as drawn, and what is left away.
fn link(seed: u64, boards: Option<u8>, cut: &str) {
    let cut: Cut = cut.parse().unwrap();
    if let Err(failure) = calls::run(seed, boards, &cut) {
        panic!("{failure}");
    }
}

/// A call had arrived and its caller's board hung or was out of reach so long that the server's board ended the
/// session; nobody told the caller, whose board saw no frame missing: it waited for ever.
#[test]
fn a_caller_learns_that_the_other_board_has_ended_the_session() {
    for seed in [20, 33, 38, 76, 143, 151, 156, 176, 181, 472, 596, 935] {
        link(seed, None, "");
    }
}
