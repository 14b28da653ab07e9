//! A signal to a process group on every board.
//!
//! Invariant: it reaches every process that is in the group when it begins, and every child that those make
//! meanwhile, wherever. A child made on its parent's own board is made before the signal gets there, and has it, or
//! not at all (`Spawn`). One made on another board is not made while the signal is under way (`hold`); the parent,
//! which has the signal by then, signals those already begun (`AddChild`).
//!
//! Not here: what the signal does (`procs`), who is meant.

use renga_proto::procs::{EndKill, KillGroup, Procs, SOME_REFUSED, Users};
use renga_rt::{Errno, Family, Retry};

/// The entries that it takes.
pub const GROUP_KILL: u32 = KillGroup::BIT | EndKill::BIT;

/// Sends `signal` to `group` (0: everybody but init) but not to `except`, from process `sender` (0: the system) of
/// those users; how many got it. `EINVAL` for what is no signal; `EPERM`: it may signal none of them.
pub async fn kill_everywhere<const ENTRIES: u32>(
    procs: &mut Family<Procs, ENTRIES>,
    group: u32,
    signal: u8,
    except: u32,
    (sender, users): (u32, Users),
) -> Result<u32, Errno> {
    let boards = procs.boards();
    let hold = boards > 1 && signal != 0;
    let kill = KillGroup { group, signal, except, hold, sender, users };
    let (mut count, mut reached, mut refused, mut result) = (0, 0u8, false, Ok(()));
    for board in 0..boards {
        let Some(mut there) = procs.at(board, 0) else { continue };
        match there.call_retrying(kill, ()).await {
            Ok(here) => {
                (count, reached) = (count + (here & !SOME_REFUSED), reached | 1 << board);
                refused |= here & SOME_REFUSED != 0;
            }
            Err(Errno::EINVAL) => result = Err(Errno::EINVAL),
            Err(_) => {} // a dead board has no members
        }
    }
    for board in (0..boards).filter(|board| hold && reached >> board & 1 != 0) {
        if let Some(mut there) = procs.at(board, 0) {
            let _ = there.call(EndKill {}, ()).await; // a board that has failed since blocks no fork
        }
    }
    match result {
        // To everybody means to whomever it may.
        Ok(()) if count == 0 && refused => {
            if group == 0 {
                Ok(1)
            } else {
                Err(Errno::EPERM)
            }
        }
        result => result.map(|()| count),
    }
}
