//! The keyboard's signals: what ^C means, carried to every board.

use renga_proto::console::{Console, NextSignal};
use renga_proto::procs::{KillGroup, Procs};
use renga_rt::{Client, Errno, Family, Me, Never};

/// How long it leaves a console in peace that gives no signals.
const PAUSE_NS: u64 = 100_000_000;

/// Takes the terminal's signals one by one and sends each to its process group on every board.
pub async fn keyboard(mut me: Me, mut console: Client<Console>, mut procs: Family<Procs>) -> Never {
    loop {
        match console.call(NextSignal {}, ()).await {
            Ok(key) if key.group == 0 => {} // nobody is in the foreground
            Ok(key) => {
                let kill = KillGroup { group: key.group, signal: key.signal, except: 0 };
                for board in 0..procs.boards() {
                    let Some(mut there) = procs.at(board, 0) else { continue };
                    let mut sent = there.call(kill, ()).await;
                    if sent == Err(Errno::ESTALE) {
                        sent = there.call(kill, ()).await; // the board has begun anew: now that is known
                    }
                    // On a dead board there is nobody to interrupt.
                    if let Err(errno) = sent
                        && errno != Errno::EHOSTDOWN
                    {
                        me.log("keyboard: a board did not take a signal", [u64::from(board), u64::from(errno.0)]);
                    }
                }
            }
            Err(Errno::ESTALE) => {}
            Err(errno) => {
                me.log("keyboard: the console gives no signals", [u64::from(errno.0), 0]);
                let until_ns = me.now_ns() + PAUSE_NS;
                me.sleep_until(until_ns).await;
            }
        }
    }
}
