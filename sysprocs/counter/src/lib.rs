//! A counter that all programs of the cluster share, as `/proc/renga/counter`: the example of `docs/tutorial.md`.
//!
//! Invariant: one process serves all callers, one after the other, so that no addition is lost. Not here: the file's
//! text (`renga_procfs`). Called by: the `proc_files` process of every board.
#![no_std]
#![forbid(unsafe_code)]

use renga_proto::counter::{Add, Counter, CounterServer, ReadCounter};
use renga_rt::{Call, Errno, Never, Port};

struct CounterState {
    value: i64,
}

impl CounterServer for CounterState {
    async fn add(&mut self, call: &mut Call<Add>) -> Result<i64, Errno> {
        self.value = self.value.checked_add(call.entry().amount).ok_or(Errno::ERANGE)?;
        Ok(self.value)
    }

    async fn read_counter(&mut self, _: &mut Call<ReadCounter>) -> Result<i64, Errno> {
        Ok(self.value)
    }
}

/// Serves one counter, which starts at zero.
pub async fn counter(mut port: Port<Counter>) -> Never {
    let mut state = CounterState { value: 0 };
    loop {
        port.accept().await.serve(&mut state).await;
    }
}
