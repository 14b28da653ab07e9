//! Suspended background jobs: leases, signals, children; and the samples of a board.

use crate::support::System;
use crate::support::calls::{
    ANY, CLOCK_GETTIME, CLONE, EXIT, GETPID, KILL, NANOSLEEP, NONE, SIGCHLD, SIGPROCMASK, WAIT4, exit, handle, set,
    wait_status, words,
};
use crate::support::script::{Argument, Script};
use Argument::{Code, Of, Value};
use renga_proto::listed::{LISTED_BYTES, Listed};
use renga_proto::procs::{ASK_POLICY, Kill, PolicyOf, Procs, Regulate, Schedule};
use renga_proto::procs::{Cause, Describe};
use renga_proto::regulation::{DISK, LINK, Sample};
use renga_rt::account::{AccountNumber, Count};
use renga_rt::policy::{Class, Policy};
use renga_rt::{Address, Client, Errno, Me};
use std::cell::RefCell;
use std::rc::Rc;

const S: u64 = 1_000_000_000;
const DISK_BIT: u8 = 1 << DISK;
const LINK_BIT: u8 = 1 << LINK;

/// What a regulator in a test has.
struct Regulator {
    me: Me,
    procs: Client<Procs>,
}

impl Regulator {
    async fn regulate(&mut self, orders: u8, lease_s: u64) -> Sample {
        let mut bytes = [0; Sample::BYTES];
        let entry = Regulate { orders, lease_ns: lease_s * S };
        assert_eq!(
            self.procs.call(entry, (&b"ignored\0\0\0\0\0\0\0\0\0"[..], &mut bytes[..])).await,
            Ok(Sample::BYTES as u32)
        );
        Sample::from_bytes(&bytes)
    }
    async fn listed(&mut self, pid: u32) -> Listed {
        let mut bytes = [0; LISTED_BYTES];
        assert!(self.procs.call(Describe { index: 0, pid }, &mut bytes[..]).await.is_ok());
        Listed::from_bytes(&bytes)
    }
    /// The only process beside init.
    async fn child(&mut self) -> Listed {
        let mut bytes = [0; 2 * LISTED_BYTES];
        assert_eq!(self.procs.call(Describe { index: 0, pid: 0 }, &mut bytes[..]).await, Ok(2 * LISTED_BYTES as u32));
        let [first, second]: [Listed; 2] = core::array::from_fn(|at| {
            Listed::from_bytes(bytes[at * LISTED_BYTES..][..LISTED_BYTES].try_into().expect("a record"))
        });
        if first.pid == 1 { second } else { first }
    }
    async fn make_job(&mut self, pid: u32) {
        let old = self.procs.call(PolicyOf { pid, change: ASK_POLICY }, ()).await;
        let old = old.ok().and_then(Schedule::from_word).expect("a policy").policy;
        let new = Policy { class: Class::Idle, background: true, ..old };
        assert!(self.procs.call(PolicyOf { pid, change: new.to_word() }, ()).await.is_ok());
    }
    fn use_blocks(&self, listed: Listed, blocks: i64) {
        self.me.count_for(AccountNumber::of_slot(0, listed.slot), Count::BlocksRead, blocks);
    }
    async fn until(&mut self, seconds: u64) {
        self.me.sleep_until(seconds * S).await;
    }
}

/// Runs `init` beside a regulator, which begins when the programs have come to their first wait.
fn run_beside<F: Future<Output = ()> + 'static>(init: &Script, work: impl FnOnce(Regulator) -> F + 'static) -> System {
    let system = System::solo(init);
    let procs = system.procs[0];
    let done = Rc::new(RefCell::new(false));
    let over = done.clone();
    system.boards[0].client(move |mut me| async move {
        let procs = Client::new(&me, Address::new(procs));
        me.sleep_until(S / 2).await;
        work(Regulator { me, procs }).await;
        *over.borrow_mut() = true;
    });
    system.run();
    assert!(*done.borrow(), "the regulator came to its end: {:?}", System::log());
    system
}

/// Init, which waits for its only child and exits with the second at which that ended; the child sleeps a second and
/// exits with 3.
fn sleeper() -> Script {
    let mut init = Script::new();
    let (child, status, second) = (init.label(), init.variable(), words(&mut init, &[1, 0]));
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    init.call(WAIT4, &[ANY, status.address(), NONE, NONE]);
    init.take(Of(status)).expect(Value(3 << 8), 101);
    let (seconds, _nanoseconds) = (init.variable(), init.variable());
    init.call(CLOCK_GETTIME, &[Value(1), seconds.address()]).expect(NONE, 102);
    init.call(EXIT, &[Of(seconds)]);
    init.place(child).call(NANOSLEEP, &[second, NONE]).expect(NONE, 103);
    exit(&mut init, 3);
    init
}

/// When a child ends that is suspended from 0.5 s on by `lease_s`, renewed or resumed at `then`.
fn ends_at(lease_s: u64, then: Option<(u64, u8, u64)>) -> u8 {
    let system = run_beside(&sleeper(), move |mut regulator| async move {
        regulator.regulate(0, 60).await;
        let child = regulator.child().await;
        regulator.make_job(child.pid).await;
        regulator.use_blocks(child, 1);
        let sample = regulator.regulate(DISK_BIT, lease_s).await;
        assert_eq!((sample.jobs, sample.suspended, sample.background[DISK]), (1, 0, 1));
        assert_eq!(regulator.listed(child.pid).await.state, b'H');
        if let Some((at_s, orders, lease_s)) = then {
            regulator.until(at_s).await;
            assert_eq!(regulator.regulate(orders, lease_s).await.suspended, 1);
        }
    });
    system.status()
}

/// Holds: jobs-lease.
#[test]
fn regulation_lease_unrenewed_expires() {
    assert_eq!(ends_at(4, None), 4);
    assert_eq!(ends_at(4, Some((3, DISK_BIT, 4))), 7, "renewed");
    assert_eq!(ends_at(40, Some((9, 0, 60))), 9, "let go");
    assert_eq!(ends_at(40, Some((9, LINK_BIT, 60))), 9, "it does not use the link");
}

/// Holds: jobs-lease.
#[test]
fn suspended_job_kill_ends_it_and_parent_sees_only_exit() {
    for signal in [9, 15] {
        let mut init = Script::new();
        let (child, second) = (init.label(), words(&mut init, &[1, 0]));
        init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
        let status = init.variable();
        // Also who was stopped or continued would be news.
        init.call(WAIT4, &[ANY, status.address(), Value(2 | 8), NONE]);
        init.take(Of(status)).expect(Value(signal), 1);
        exit(&mut init, 0);
        init.place(child).call(NANOSLEEP, &[second, NONE]);
        exit(&mut init, 3);
        let system = run_beside(&init, move |mut regulator| async move {
            regulator.regulate(0, 60).await;
            let child = regulator.child().await;
            regulator.make_job(child.pid).await;
            regulator.use_blocks(child, 1);
            regulator.regulate(DISK_BIT, 60).await;
            regulator.until(5).await;
            assert_eq!(regulator.listed(child.pid).await.state, b'H');
            assert_eq!(
                regulator.procs.call(Kill { pid: child.pid, signal: signal as u8, cause: Cause::user(1) }, ()).await,
                Ok(true)
            );
            regulator.until(6).await;
            let describe = Describe { index: 0, pid: child.pid };
            assert_eq!(regulator.procs.call(describe, &mut [0; LISTED_BYTES][..]).await, Err(Errno::ESRCH));
        });
        assert_eq!(system.status(), 0, "signal {signal}");
    }
}

/// A handler runs after the resumption, and a blocked signal does not end the suspension.
#[test]
fn suspended_job_handles_signals_and_keeps_blocked_pending() {
    let mut init = Script::new();
    let (child, handler) = (init.label(), init.label());
    let (own, second) = (init.variable(), words(&mut init, &[1, 0]));
    init.call(CLONE, &[SIGCHLD, NONE, NONE, NONE, NONE]).jump_if_zero(child);
    let status = wait_status(&mut init);
    init.take(Of(status)).expect(Value(4 << 8), 1);
    exit(&mut init, 0);
    init.place(child);
    handle(&mut init, 10, Code(handler), 0);
    let blocked = set(&mut init, &[12]);
    init.call(SIGPROCMASK, &[NONE, blocked, NONE, Value(8)]).expect(NONE, 2);
    init.call(GETPID, &[]).keep(own);
    init.call(KILL, &[Of(own), Value(12)]).expect(NONE, 3);
    init.call(NANOSLEEP, &[second, NONE]);
    exit(&mut init, 5);
    init.place(handler);
    exit(&mut init, 4);
    let system = run_beside(&init, move |mut regulator| async move {
        regulator.regulate(0, 60).await;
        let child = regulator.child().await;
        regulator.make_job(child.pid).await;
        regulator.use_blocks(child, 1);
        regulator.regulate(DISK_BIT, 10).await;
        regulator.until(5).await;
        assert_eq!(regulator.listed(child.pid).await.state, b'H', "the blocked signal waits");
        assert_eq!(
            regulator.procs.call(Kill { pid: child.pid, signal: 10, cause: Cause::user(1) }, ()).await,
            Ok(true)
        );
    });
    assert_eq!(system.status(), 0);
}

/// What programs use is counted once, to the class that they had.
#[test]
fn regulation_use_is_counted_once_across_exit_and_class_change() {
    run_beside(&sleeper(), move |mut regulator| async move {
        let child = regulator.child().await;
        regulator.use_blocks(child, 100);
        let first = regulator.regulate(0, 60).await;
        assert_eq!((first.jobs, first.foreground[DISK], first.background[DISK]), (0, 0, 0), "from now on");
        regulator.use_blocks(child, 5);
        regulator.make_job(child.pid).await;
        regulator.use_blocks(child, 7);
        let second = regulator.regulate(0, 60).await;
        assert_eq!((second.jobs, second.foreground[DISK], second.background[DISK]), (1, 5, 7));
        regulator.use_blocks(child, 2);
        regulator.until(2).await;
        let third = regulator.regulate(0, 60).await;
        assert_eq!((third.jobs, third.foreground[DISK], third.background[DISK]), (0, 0, 2), "it has ended");
        assert_eq!(third.elapsed_ns, 3 * S / 2);
        assert_eq!(regulator.regulate(0, 60).await.background, [0; 3]);
    });
}

/// The sample says when a living foreground program ran last; jobs and ignored programs do not count.
/// Holds: jobs-policies.
#[test]
fn regulation_foreground_activity_is_reported_until_exit() {
    run_beside(&sleeper(), move |mut regulator| async move {
        let child = regulator.child().await;
        let ago = async |regulator: &mut Regulator| regulator.regulate(0, 60).await.front_used_ago_ns;
        assert_eq!(ago(&mut regulator).await, u64::MAX, "no program was seen to run");
        regulator.use_blocks(child, 1);
        assert_eq!(ago(&mut regulator).await, 0);
        regulator.me.sleep_until(8 * S / 10).await;
        assert_eq!(ago(&mut regulator).await, 3 * S / 10, "a little of the processor is nothing");
        let elapsed_ns = S / 10;
        regulator.me.sleep_until(9 * S / 10).await;
        let number = AccountNumber::of_slot(0, child.slot);
        regulator.me.count_for(number, Count::UserNs, (elapsed_ns / 16) as i64 + 1);
        assert_eq!(ago(&mut regulator).await, 0, "much of it is");
        regulator.until(2).await;
        assert_eq!(ago(&mut regulator).await, u64::MAX, "it has ended");
    });
    run_beside(&sleeper(), move |mut regulator| async move {
        let child = regulator.child().await;
        regulator.regulate(0, 60).await;
        regulator.make_job(child.pid).await;
        regulator.use_blocks(child, 1);
        assert_eq!(regulator.regulate(0, 60).await.front_used_ago_ns, u64::MAX, "it is a job");
    });
}
