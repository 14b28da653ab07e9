//! The table of processes: parents, waiting, orphans, signals.

use renga_process::procs::queue::QueuedSignal;
use renga_process::procs::rows::ProcessRow;
use renga_process::procs::slot_set::SlotSet;
use renga_process::procs::table::{ProcessTable, RECORDS_MAX};
use renga_process::signals::{
    SIGCHLD, SIGCONT, SIGINT, SIGKILL, SIGTERM, SIGTSTP, SIGUSR1, SignalSet, bit, exited, killed, stopped,
};
use renga_proto::procs::{
    Cause, INIT, Rename, SetGroup, SignalFacts, Users, WAIT_ENDED, WAIT_NO_HANG, WAIT_STOPPED, WaitedChild, board_of,
};
use renga_rt::Errno;

const DISK_BOARD: u8 = 0;
const ANY: i32 = -1;
const BY_INIT: Cause = Cause::user(INIT);

fn new_table(board: u8) -> ProcessTable {
    let rows = Vec::leak(vec![ProcessRow::EMPTY; RECORDS_MAX]);
    ProcessTable::new(board, DISK_BOARD, 1, rows, Vec::leak(vec![QueuedSignal::EMPTY; 8]))
}

fn slots(slots: &[u16]) -> SlotSet {
    let mut set = SlotSet::NONE;
    for &slot in slots {
        set.insert(slot);
    }
    set
}

/// A child made on another board, as it is without a signal in between.
fn add_child(table: &mut ProcessTable, parent: u32, child: u32, group: u32, deaths: u32) {
    table.begin_fork(parent, 0).unwrap();
    assert_eq!(table.add_child(parent, child, group, deaths), Ok(0));
}

/// The entry that moves a process to a group, of any board.
fn moved(pid: u32, group: u32) -> SetGroup {
    SetGroup { pid, group, by: 0, session: 0 }
}

/// Board 0 with init in slot 0 and a shell, its child, in slot 1.
fn with_shell() -> (ProcessTable, u32) {
    let mut table = new_table(DISK_BOARD);
    assert_eq!(table.make_init(0), Ok(INIT));
    let shell = table.spawn(1, INIT, 0, 0).unwrap();
    (table, shell)
}

#[test]
fn pid_names_its_board() {
    let (mut table, shell) = with_shell();
    assert_eq!((shell % 8, board_of(shell, DISK_BOARD)), (0, 0));
    assert_eq!(table.make_init(3), Err(Errno::EEXIST));
    let mut other = new_table(5);
    let pid = other.spawn(0, shell, 7, 7).unwrap();
    assert_eq!(board_of(pid, DISK_BOARD), 5);
    assert_eq!(board_of(INIT, 3), 3);
    assert_eq!(table.spawn(2, 9999, 0, 0), Err(Errno::ESRCH));
}

#[test]
fn wait_reaps_child_once() {
    let (mut table, shell) = with_shell();
    let child = table.spawn(2, shell, 0, 0).unwrap();
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Ok(None));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED | WAIT_NO_HANG), Ok(Some(WaitedChild { pid: 0, status: 0 })));
    assert_eq!(table.wait(shell, 12345, WAIT_ENDED), Err(Errno::ECHILD));
    assert_eq!(table.exit(child, exited(3)).map(|ended| ended.parent), Ok(shell));
    assert!(table.to_answer.contains(1));
    assert_eq!(table.wait(shell, child as i32, WAIT_ENDED), Ok(Some(WaitedChild { pid: child, status: 0x300 })));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Err(Errno::ECHILD));
}

#[test]
fn wait_sigchld_ignored_children_are_reaped() {
    let (mut table, shell) = with_shell();
    table.set_reaps(shell, true, false).unwrap();
    let child = table.spawn(2, shell, 0, 0).unwrap();
    add_child(&mut table, shell, 9, 9, 0);
    assert_eq!(table.exit(child, 0).map(|ended| ended.parent), Ok(shell));
    assert!(table.get(child).is_err());
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Ok(None));
    table.child_exited(shell, 9, 0).unwrap();
    assert!(table.to_answer.contains(1));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Err(Errno::ECHILD));
    // It ends before its parent has made the record.
    table.begin_fork(shell, 0).unwrap();
    table.child_exited(shell, 17, 0).unwrap();
    assert_eq!(table.add_child(shell, 17, 17, 0), Ok(0));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Err(Errno::ECHILD));
}

#[test]
fn wait_selects_children_by_group() {
    let (mut table, shell) = with_shell();
    let first = table.spawn(2, shell, 0, 0).unwrap();
    let second = table.spawn(3, shell, 0, 0).unwrap();
    table.set_group(moved(second, second)).unwrap();
    table.exit(first, 0).unwrap();
    table.exit(second, 0).unwrap();
    let waited = table.wait(shell, -(second as i32), WAIT_ENDED).unwrap().unwrap();
    assert_eq!(waited.pid, second);
    assert_eq!(table.wait(shell, 0, WAIT_ENDED).unwrap().unwrap().pid, first);
}

/// Holds: orphans.
#[test]
fn process_table_orphans_go_to_init_or_are_dropped() {
    let (mut table, shell) = with_shell();
    let child = table.spawn(2, shell, 0, 0).unwrap();
    let zombie = table.spawn(3, shell, 0, 0).unwrap();
    table.exit(zombie, exited(1)).unwrap();
    table.exit(shell, 0).unwrap();
    assert_eq!(table.relate(child).unwrap().parent, INIT);
    assert!(table.to_interrupt.contains(2), "the child learns of its new parent");
    let mut pids: Vec<u32> = (0..2).map(|_| table.wait(INIT, ANY, WAIT_ENDED).unwrap().unwrap().pid).collect();
    pids.sort_unstable();
    assert_eq!(pids, [shell, zombie]);
    assert_eq!(table.exit(child, 0).map(|ended| ended.parent), Ok(INIT));

    let mut other = new_table(1);
    let parent = other.spawn(0, shell, 8, 8).unwrap();
    let child = other.spawn(1, parent, 0, 0).unwrap();
    let zombie = other.spawn(2, parent, 0, 0).unwrap();
    other.exit(zombie, 0).unwrap();
    other.exit(parent, 0).unwrap();
    assert!(other.get(zombie).is_err() && other.get(parent).is_err());
    assert_eq!(other.exit(child, 0).map(|ended| ended.parent), Ok(INIT), "init's board is notified");
}

#[test]
fn process_table_remote_child_has_record_at_parent() {
    let (mut table, shell) = with_shell();
    let mut other = new_table(1);
    let child = other.spawn(0, shell, shell, shell).unwrap();
    // It ends before its parent has made the record.
    assert_eq!(other.exit(child, killed(SIGKILL)).map(|ended| ended.parent), Ok(shell));
    table.begin_fork(shell, 0).unwrap();
    table.child_exited(shell, child, killed(SIGKILL)).unwrap();
    assert_eq!(table.add_child(shell, child, 44, 0), Ok(0));
    let waited = table.wait(shell, -44, WAIT_ENDED).unwrap().unwrap();
    assert_eq!(waited, WaitedChild { pid: child, status: 9 });
    assert_eq!(table.child_exited(777 * 8, child, 0), Ok(()), "a dead parent needs no notice");
    table.child_exited(INIT, child, 0).unwrap();
    assert_eq!(
        table.wait(INIT, child as i32, WAIT_ENDED).unwrap().unwrap().pid,
        child,
        "init takes orphans of all boards"
    );
}

#[test]
fn process_table_board_failure_kills_its_children() {
    let (mut table, shell) = with_shell();
    add_child(&mut table, shell, 9, 9, 0);
    add_child(&mut table, shell, 10, 10, 0);
    table.board_died(1);
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED).unwrap(), Some(WaitedChild { pid: 9, status: killed(SIGKILL) }));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Ok(None));
}

/// A parent registers its remote child when the call returns; by then the child's board may have failed.
#[test]
fn process_table_board_failure_before_record_is_waited_for() {
    let (mut table, shell) = with_shell();
    table.board_died(2);
    let seen = table.relate(shell).unwrap().further.deaths;
    table.board_died(1);
    add_child(&mut table, shell, 9, 9, seen);
    add_child(&mut table, shell, 10, 10, seen);
    assert_eq!(table.wait(shell, 9, WAIT_ENDED), Ok(Some(WaitedChild { pid: 9, status: killed(SIGKILL) })));
    assert_eq!(table.wait(shell, 10, WAIT_ENDED), Ok(None), "another board's child runs");
    assert_eq!(table.far_boards(), 1 << 2);
    // The board is back, and a child runs there.
    let seen = table.relate(shell).unwrap().further.deaths;
    add_child(&mut table, shell, 17, 17, seen);
    assert_eq!(table.wait(shell, 17, WAIT_ENDED), Ok(None));
}

#[test]
fn process_table_signal_interrupts_target_only() {
    let (mut table, shell) = with_shell();
    table.to_interrupt = SlotSet::NONE;
    table.kill(shell, SIGCHLD, BY_INIT).unwrap();
    assert_eq!((table.to_interrupt, table.get(shell).unwrap().pending), (SlotSet::NONE, 0), "ignored by default");
    table.kill(shell, SIGINT, BY_INIT).unwrap();
    assert_eq!(table.to_interrupt, slots(&[1]), "blocked or not");
    assert_eq!(table.has_signal(shell, bit(SIGINT)), Ok(false));
    let next = |signal, more, waits| Ok(SignalFacts { signal, more, waits, suspended: false, parent: INIT });
    assert_eq!(table.take_signal(shell, bit(SIGINT)).map(|taken| taken.next), next(0, false, true), "it is blocked");
    for signal in [SIGKILL, SIGTERM, SIGUSR1] {
        table.kill(shell, signal, BY_INIT).unwrap();
    }
    let blocked = |set: SignalSet| !set & !bit(SIGTERM);
    assert_eq!(
        table.take_signal(shell, u64::MAX).map(|taken| taken.next),
        next(SIGKILL, false, true),
        "it is not blocked"
    );
    assert_eq!(table.take_signal(shell, blocked(bit(SIGUSR1))).map(|taken| taken.next), next(SIGUSR1, true, true));
    assert_eq!(table.take_signal(shell, blocked(0)).map(|taken| taken.next), next(SIGTERM, false, true));
    assert_eq!(table.take_signal(shell, 0).map(|taken| taken.next), next(SIGINT, false, false));
    assert_eq!(table.kill(9999, 0, BY_INIT), Err(Errno::ESRCH));
    assert_eq!(table.kill(shell, 65, BY_INIT), Err(Errno::EINVAL));
}

#[test]
fn process_table_kill_all_spares_init() {
    let (mut table, shell) = with_shell();
    let child = table.spawn(2, shell, 0, 0).unwrap();
    table.set_group(moved(child, child)).unwrap();
    assert_eq!(table.kill_group((child, 0), SIGTERM, BY_INIT, Users::default()), Ok(1));
    assert_eq!(table.kill_group((0, 0), SIGUSR1, BY_INIT, Users::default()), Ok(2));
    assert_eq!(table.get(INIT).unwrap().pending, 0);
    assert_eq!(table.kill_group((4711, 0), SIGTERM, BY_INIT, Users::default()), Ok(0));
    assert_eq!(table.kill_group((0, shell), SIGINT, BY_INIT, Users::default()), Ok(1));
    assert_eq!(table.get(shell).unwrap().pending & bit(SIGINT), 0, "not to itself");
}

#[test]
fn process_table_stop_and_continue_change_state() {
    let (mut table, shell) = with_shell();
    let child = table.spawn(2, shell, 0, 0).unwrap();
    table.kill(child, SIGTSTP, BY_INIT).unwrap();
    assert_eq!(table.take_signal(child, 0).map(|taken| taken.next.signal), Ok(SIGTSTP));
    assert_eq!(table.stop(child, SIGTSTP), Ok(shell));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Ok(None));
    let news = WaitedChild { pid: child, status: stopped(SIGTSTP) };
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED | WAIT_STOPPED), Ok(Some(news)));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED | WAIT_STOPPED), Ok(None), "reported once");
    assert_eq!(table.gone_on(child), Ok(None));
    table.kill(child, SIGCONT, BY_INIT).unwrap();
    assert_eq!(table.gone_on(child), Ok(Some(shell)));
    assert!(table.to_answer.contains(2));
}

#[test]
fn process_table_continue_before_stop_cancels_it() {
    let (mut table, shell) = with_shell();
    for signal in [SIGCONT, SIGKILL] {
        table.kill(shell, SIGTSTP, BY_INIT).unwrap();
        assert_eq!(table.take_signal(shell, 0).map(|taken| taken.next.signal), Ok(SIGTSTP));
        table.kill(shell, signal, BY_INIT).unwrap();
        assert_eq!(table.stop(shell, SIGTSTP), Ok(0));
        assert_eq!(table.gone_on(shell), Ok(Some(0)));
    }
}

#[test]
fn process_table_sessions_have_leaders_and_groups() {
    let (mut table, shell) = with_shell();
    assert_eq!(table.relate(shell).unwrap().session, INIT);
    assert_eq!(table.new_session(shell), Ok(shell));
    assert_eq!(table.new_session(shell), Err(Errno::EPERM), "a group leader already");
    assert_eq!(table.set_group(moved(shell, 5)), Err(Errno::EPERM), "leaders stay");
}

#[test]
fn process_table_full_refuses_and_keeps_names() {
    let (mut table, shell) = with_shell();
    table.rename(Rename { pid: shell, executes: false }, b"sh").unwrap();
    table.note_start(shell, 7);
    let record = table.get(shell).unwrap();
    assert_eq!((&record.name[..3], record.letter(), record.started_ns), (&b"sh\0"[..], 'S', 7));
    let mut made = 2;
    while let Ok(pid) = table.spawn(2, shell, 0, 0) {
        table.exit(pid, 0).unwrap();
        made += 1;
    }
    assert_eq!(made, RECORDS_MAX);
    assert_eq!(table.spawn(2, shell, 0, 0), Err(Errno::EAGAIN));
    while let Ok(Some(_)) = table.wait(shell, ANY, WAIT_ENDED) {}
    table.spawn(2, shell, 0, 0).unwrap();
}

/// However many children are not waited for, one made elsewhere has a record from the start.
#[test]
fn process_table_full_keeps_remote_child_exit() {
    let (mut table, shell) = with_shell();
    table.begin_fork(shell, 0).unwrap();
    while let Ok(pid) = table.spawn(2, shell, 0, 0) {
        table.exit(pid, 0).unwrap();
    }
    table.child_exited(shell, 9, exited(5)).unwrap();
    assert_eq!(table.add_child(shell, 9, 9, 0), Ok(0));
    assert_eq!(table.wait(shell, 9, WAIT_ENDED), Ok(Some(WaitedChild { pid: 9, status: exited(5) })));
    // What is not used is given back.
    table.begin_fork(shell, 0).unwrap();
    assert_eq!(table.begin_fork(shell, 0).err(), Some(Errno::EAGAIN), "one at a time");
    assert_eq!(table.spawn(2, shell, 0, 0), Err(Errno::EAGAIN));
    table.cancel_fork(shell).unwrap();
    table.spawn(2, shell, 0, 0).unwrap();
}

#[test]
fn process_table_late_exit_ignores_reused_pid() {
    let (mut table, shell) = with_shell();
    assert_eq!(table.child_exited(shell, 9, 0), Ok(()));
    assert_eq!(table.wait(shell, ANY, WAIT_ENDED), Err(Errno::ECHILD));
}

/// Holds: fork-bomb.
#[test]
fn process_table_group_signal_reaches_children_in_creation() {
    let (mut table, shell) = with_shell();
    let parent = table.spawn(2, shell, 0, 0).unwrap();
    table.set_group(moved(parent, parent)).unwrap();
    // It comes first: the fork has to wait until it is served, unless it is blocked.
    assert_eq!(table.kill_group((parent, 0), SIGTERM, BY_INIT, Users::default()), Ok(1));
    assert_eq!(table.may_fork(parent, 0), Err(Errno::EINTR));
    assert_eq!(table.begin_fork(parent, 0).err(), Some(Errno::EINTR));
    assert_eq!(table.may_fork(parent, bit(SIGTERM)), Ok(()));
    assert_eq!(table.take_signal(parent, 0).map(|taken| taken.next.signal), Ok(SIGTERM));
    // It comes during the remote fork: the fork reports that once.
    table.begin_fork(parent, 0).unwrap();
    assert_eq!(table.kill_group((0, shell), SIGKILL, BY_INIT, Users::default()), Ok(1));
    assert_eq!(table.kill(parent, SIGUSR1, BY_INIT), Ok(true), "its own, not its group's");
    assert_eq!(table.add_child(parent, 9, parent, 0), Ok(bit(SIGKILL)));
    assert_eq!(table.take_signal(parent, 0).map(|taken| taken.next.signal), Ok(SIGKILL));
    // There, who got it as one of the group does not get it again.
    let mut there = new_table(1);
    let (early, late) = (there.spawn(0, parent, parent, 1).unwrap(), there.spawn(1, parent, 7, 1).unwrap());
    there.kill_group((parent, 0), SIGTERM, BY_INIT, Users::default()).unwrap();
    assert_eq!(there.take_signal(early, 0).map(|taken| taken.next.signal), Ok(SIGTERM));
    for child in [early, late] {
        there.pass_on(child, bit(SIGTERM)).unwrap();
    }
    assert_eq!(
        (
            there.take_signal(early, 0).map(|taken| taken.next.signal),
            there.take_signal(late, 0).map(|taken| taken.next.signal)
        ),
        (Ok(0), Ok(SIGTERM))
    );
}

#[test]
fn process_table_child_inherits_signal_facts() {
    let (mut table, shell) = with_shell();
    table.set_reaps(shell, true, false).unwrap();
    table.limit_queued(shell, 3).unwrap();
    let known = |table: &ProcessTable, pid| table.get(pid).map(|record| (record.reaps, record.queued_most)).unwrap();
    let child = table.spawn(2, shell, 0, 0).unwrap();
    assert_eq!(known(&table, child), (true, 3));
    let init_s = table.spawn(3, INIT, 0, 0).unwrap();
    let of_elsewhere = table.spawn(4, 9999, 7, 7).unwrap();
    assert_eq!(known(&table, of_elsewhere), known(&table, init_s), "nothing is known");
}

#[test]
fn process_table_kill_of_process_is_for_each_thread() {
    let (mut table, shell) = with_shell();
    let process = table.spawn(2, shell, 0, 0).unwrap();
    let thread = table.spawn_thread(3, process).unwrap();
    // The sibling's comes first, from an exec; then somebody kills the process.
    assert_eq!(table.kill(process, SIGKILL, Cause::siblings_of(thread)), Ok(true));
    assert_eq!(table.kill(process, SIGKILL, BY_INIT), Ok(true));
    assert_eq!(table.take_signal(thread, 0).map(|taken| taken.next.signal), Ok(SIGKILL));
    assert_eq!(table.kill(process, 0, Cause::siblings_of(process)), Ok(false), "the exec goes on in the first thread");
    assert_eq!(table.take_signal(process, 0).map(|taken| taken.next.signal), Ok(SIGKILL));
}
