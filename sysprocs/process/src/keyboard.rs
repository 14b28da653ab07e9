//! The keyboard's signals: what ^C means, carried to every board.

use crate::group_kill::{GROUP_KILL, kill_everywhere};
use renga_proto::console::{Console, NextSignal};
use renga_proto::procs::{Procs, Users};
use renga_rt::{Client, Family, Me, Never, Retry};

/// How long it leaves a console in peace that gives no signals.
const PAUSE_NS: u64 = 100_000_000;

/// Takes the terminal's signals one by one and sends each to its process group on every board.
pub async fn keyboard(mut me: Me, mut console: Client<Console>, mut procs: Family<Procs, GROUP_KILL>) -> Never {
    loop {
        match console.call_retrying(NextSignal {}, ()).await {
            Ok(key) if key.group == 0 => {} // no group is in the foreground
            Ok(key) => {
                if let Err(errno) = kill_everywhere(&mut procs, key.group, key.signal, 0, (0, Users::default())).await {
                    me.log("keyboard: a signal is refused", [u64::from(key.signal), u64::from(errno.0)]);
                }
            }
            Err(errno) => {
                me.log("keyboard: the console gives no signals", [u64::from(errno.0), 0]);
                let until_ns = me.now_ns() + PAUSE_NS;
                me.sleep_until(until_ns).await;
            }
        }
    }
}
