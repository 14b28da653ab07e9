//! A counter that all programs of the cluster share, as `/proc/renga/counter`: the example of `docs/tutorial.md`.
//!
//! Invariant: one process serves all callers, one after the other, so that no addition is lost. Not here: the file's text
//! (`renga_procfs`). Called by: the `proc_files` process of every board.
#![no_std]
#![forbid(unsafe_code)]

use renga_proto::counter::{Counter, CounterCall};
use renga_rt::{Errno, Never, Port};

/// Serves one counter, which starts at zero.
pub async fn counter(mut port: Port<Counter>) -> Never {
    let mut value: i64 = 0;
    loop {
        match port.accept().await {
            CounterCall::Add(call) => {
                let sum = value.checked_add(call.entry().amount).ok_or(Errno::ERANGE);
                value = sum.unwrap_or(value);
                call.reply(sum);
            }
            CounterCall::ReadCounter(call) => call.reply(Ok(value)),
        }
    }
}
