//! What happens to whole boards: power cuts, hangs, starts; by plan or by hand.
//!
//! Invariant: what a board did before the instant of its order stands, and what it would have done from then on does
//! not happen.
//!
//! Not here: carrying it out (`cluster::power`), what the bus makes of it (`bus::recovery`).

use crate::board::BoardState;
use serde::{Deserialize, Serialize};
use std::collections::VecDeque;

/// What happens to a board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum PowerChange {
    /// Its power is cut. Its card keeps what was written to it.
    Cut,
    /// Its processor stops, for ever; its pins stay as they are.
    Hang,
    /// It is started; if it runs, it is reset.
    Start,
}

/// When what happens to which board.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PowerOrder {
    /// Which board.
    pub board: u8,
    /// When, ns.
    pub time_ns: u64,
    /// What.
    #[serde(rename = "power")]
    pub change: PowerChange,
}

/// How a board is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BoardStatus {
    /// Whether it runs, and if not, why.
    pub state: BoardState,
    /// How often it was started.
    pub starts: u32,
}

/// Orders not carried out yet.
#[derive(Debug, Default)]
pub struct PowerSchedule {
    /// By time; at the same time, as given.
    orders: VecDeque<PowerOrder>,
}

impl PowerSchedule {
    /// One more.
    pub fn add(&mut self, order: PowerOrder) {
        let place = self.orders.partition_point(|other| other.time_ns <= order.time_ns);
        self.orders.insert(place, order);
    }

    /// The next one.
    pub fn first(&self) -> Option<PowerOrder> {
        self.orders.front().copied()
    }

    /// Takes the next one.
    pub fn pop(&mut self) -> Option<PowerOrder> {
        self.orders.pop_front()
    }

    /// When something happens to `board` next, ns.
    pub fn next_ns(&self, board: u8) -> Option<u64> {
        self.orders.iter().find(|order| order.board == board).map(|order| order.time_ns)
    }

    /// When something has been planned for `board` last, ns.
    pub fn last_ns(&self, board: u8) -> Option<u64> {
        self.orders.iter().rfind(|order| order.board == board).map(|order| order.time_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn power_orders_sort_by_time_then_input() {
        let mut schedule = PowerSchedule::default();
        let order = |board, time_ns, change| PowerOrder { board, time_ns, change };
        let orders =
            [order(1, 20, PowerChange::Cut), order(0, 10, PowerChange::Hang), order(1, 20, PowerChange::Start)];
        orders.iter().for_each(|order| schedule.add(*order));
        assert_eq!((schedule.next_ns(1), schedule.last_ns(0), schedule.last_ns(2)), (Some(20), Some(10), None));
        let carried: Vec<_> = std::iter::from_fn(|| schedule.pop()).collect();
        assert_eq!(carried, [orders[1], orders[0], orders[2]]);
    }

    #[test]
    fn power_order_is_recorded_as_line() {
        let order = PowerOrder { board: 1, time_ns: 5, change: PowerChange::Cut };
        assert_eq!(serde_json::to_string(&order).unwrap(), r#"{"board":1,"time_ns":5,"power":"cut"}"#);
    }
}
