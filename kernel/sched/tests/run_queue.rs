//! Single steps of the run queue, on tasks without programs. Whole behaviour: `kernel/core/tests/run_queue`.

use renga_abi::account::Count;
use renga_abi::policy::{Class, Policy, ROUND_ROBIN_NS, SLICE_NS};
use renga_sched::{Account, HeapItem, NOWHERE, RunQueue, Task, TaskKey};
use std::cell::Cell;

struct Player {
    account: &'static Account,
    order: Cell<TaskKey>,
    place: Cell<u16>,
    is_runnable: Cell<bool>,
    is_wait_cancelled: Cell<bool>,
}

impl HeapItem for Player {
    type Order = TaskKey;
    fn order(&self) -> TaskKey {
        self.order.get()
    }
    fn place(&self) -> &Cell<u16> {
        &self.place
    }
}

impl Task for Player {
    fn account(&self) -> &'static Account {
        self.account
    }
    fn set_order(&self, order: TaskKey) {
        self.order.set(order);
    }
    fn is_runnable(&self) -> bool {
        self.is_runnable.get()
    }
    fn is_wait_cancelled(&self) -> bool {
        self.is_wait_cancelled.get()
    }
    fn is_program(&self) -> bool {
        true
    }
}

const ROUND_ROBIN: Policy = Policy { class: Class::RoundRobin, priority: 5, ..Policy::DEFAULT };

fn player(policy: Policy) -> &'static Player {
    let account: &'static Account = Box::leak(Box::new(Account::new()));
    account.set_policy(policy);
    Box::leak(Box::new(Player {
        account,
        order: Cell::new(TaskKey::NONE),
        place: Cell::new(NOWHERE),
        is_runnable: Cell::new(true),
        is_wait_cancelled: Cell::new(false),
    }))
}

/// A queue of two tasks, of which the first has run for half a slice.
fn half_a_slice(policy: Policy, slice_ns: u64) -> (RunQueue<Player>, [&'static Player; 2]) {
    let (queue, tasks) = (RunQueue::new(), [player(policy), player(policy)]);
    tasks.into_iter().for_each(|task| queue.enqueue_woken(task, 1));
    runs(&queue, tasks[0], slice_ns / 2);
    (queue, tasks)
}

/// The next task is `wanted`, and runs for `ns`.
#[track_caller]
fn runs(queue: &RunQueue<Player>, wanted: &'static Player, ns: u64) {
    let next = queue.next(1).expect("a task is runnable");
    assert!(core::ptr::eq(next, wanted), "another task is next");
    next.account.charge(Count::UserNs, ns);
    queue.put_back(next);
}

/// The wait of `task` is cancelled, which is queued; its process handles that at once.
#[track_caller]
fn handles_signal(queue: &RunQueue<Player>, task: &'static Player) {
    task.is_wait_cancelled.set(true);
    queue.requeue(task, true);
    runs(queue, task, 0);
    task.is_wait_cancelled.set(false);
}

#[test]
fn signalled_fair_task_waits_while_other_has_used_less() {
    let (queue, [one, other]) = half_a_slice(Policy::DEFAULT, SLICE_NS);
    runs(&queue, one, SLICE_NS);
    runs(&queue, other, SLICE_NS / 2);
    handles_signal(&queue, one);
    runs(&queue, other, 1);
}

#[test]
fn signalled_real_time_task_leaves_rest_of_slice_to_equal() {
    let (queue, [one, other]) = half_a_slice(ROUND_ROBIN, ROUND_ROBIN_NS);
    handles_signal(&queue, other);
    runs(&queue, one, ROUND_ROBIN_NS / 2);
    runs(&queue, other, 1);
}

#[test]
fn signalled_task_that_blocks_leaves_no_trace() {
    let (queue, [one, other]) = half_a_slice(Policy::DEFAULT, SLICE_NS);
    runs(&queue, one, SLICE_NS);
    runs(&queue, other, SLICE_NS / 2);
    one.is_wait_cancelled.set(true);
    queue.requeue(one, true);
    queue.remove(other);
    runs(&queue, one, 0);
    one.is_runnable.set(false);
    one.is_wait_cancelled.set(false);
    let third = player(Policy::DEFAULT);
    queue.enqueue_woken(third, 1); // at once, past the heap
    let fourth = player(Policy::DEFAULT);
    queue.enqueue_woken(fourth, 1);
    runs(&queue, third, 2_000);
    runs(&queue, third, 1); // it keeps its slice, though another has used less
}

#[test]
fn new_program_has_whole_slice_whatever_its_slot_has_left() {
    let (queue, [one, other]) = half_a_slice(ROUND_ROBIN, ROUND_ROBIN_NS);
    queue.begin(one, false, &Default::default());
    runs(&queue, other, ROUND_ROBIN_NS);
    runs(&queue, one, ROUND_ROBIN_NS / 2 + 1);
    runs(&queue, one, 1); // more than what was left
}

#[test]
fn new_program_is_not_behind_what_its_slot_has_used() {
    let (queue, [one, other]) = half_a_slice(Policy::DEFAULT, SLICE_NS);
    runs(&queue, one, 10 * SLICE_NS);
    queue.begin(one, false, &Default::default());
    runs(&queue, other, 5 * SLICE_NS);
    runs(&queue, one, 1);
}

#[test]
fn new_policy_begins_with_new_slice() {
    let (queue, [one, other]) = half_a_slice(ROUND_ROBIN, ROUND_ROBIN_NS);
    queue.set_policy(one, ROUND_ROBIN, 1);
    runs(&queue, other, ROUND_ROBIN_NS);
    runs(&queue, one, ROUND_ROBIN_NS / 2 + 1);
    runs(&queue, one, 1);
}

#[test]
fn task_is_due_unless_another_has_used_less() {
    let queue = RunQueue::new();
    let [first, equal, ahead] = [0, 0, 5_000].map(|used_ns| {
        let task = player(Policy::DEFAULT);
        task.account.charge(Count::UserNs, used_ns);
        task
    });
    queue.enqueue_woken(first, 1);
    assert!(queue.is_due(equal), "equals do not go before each other");
    assert!(!queue.is_due(ahead));
    let idle = RunQueue::new();
    idle.enqueue_woken(player(Policy { class: Class::Idle, ..Policy::DEFAULT }), 1);
    assert!(idle.is_due(ahead), "a lower class never goes first");
}
