//! The keyboard's signals: what ^C means, carried to every board.

use renga_proto::console::{Console, NextSignal};
use renga_proto::procs::{KillGroup, Procs};
use renga_rt::{Client, Family, Me, Never};

/// Takes the terminal's signals one by one and sends each to its process group on every board.
pub async fn keyboard(me: Me, mut console: Client<Console>, mut procs: Family<Procs>) -> Never {
    loop {
        match console.call(NextSignal {}, ()).await {
            Ok(key) if key.group == 0 => {} // nobody is in the foreground
            Ok(key) => {
                for board in 0..procs.boards() {
                    if let Some(mut there) = procs.at(board, 0)
                        && let Err(errno) =
                            there.call(KillGroup { group: key.group, signal: key.signal, except: 0 }, ()).await
                    {
                        me.log("keyboard: a board did not take a signal", [u64::from(board), u64::from(errno.0)]);
                    }
                }
            }
            Err(errno) => me.log("keyboard: the console gives no signals", [u64::from(errno.0), 0]),
        }
    }
}
