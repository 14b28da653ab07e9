//! The table of processes: who may move whom to a group, and groups that nobody can continue any more.

use renga_process::procs::queue::QueuedSignal;
use renga_process::procs::rows::ProcessRow;
use renga_process::procs::table::{ProcessTable, RECORDS_MAX};
use renga_process::signals::{SIGCHLD, SIGCONT, SIGHUP, SIGTSTP, bit};
use renga_proto::procs::{Cause, INIT, Rename, SetGroup};
use renga_rt::Errno;

/// A table with init, a shell that leads a session, and a child of the shell in a group of its own.
fn with_job() -> (ProcessTable, u32, u32) {
    let rows = Vec::leak(vec![ProcessRow::EMPTY; RECORDS_MAX]);
    let mut table = ProcessTable::new(0, 0, 1, rows, Vec::leak(vec![QueuedSignal::EMPTY; 8]));
    assert_eq!(table.make_init(0), Ok(INIT));
    let shell = table.spawn(1, INIT, 0, 0).unwrap();
    table.new_session(shell).unwrap();
    let job = table.spawn(2, shell, 0, 0).unwrap();
    table.set_group(SetGroup { pid: job, group: job, by: shell, session: shell }).unwrap();
    (table, shell, job)
}

fn stop(table: &mut ProcessTable, pid: u32) {
    table.kill(pid, SIGTSTP, Cause::user(0)).unwrap();
    assert_eq!(table.take_signal(pid, 0).unwrap().next.signal, SIGTSTP);
    assert_ne!(table.stop(pid, SIGTSTP), Ok(0));
}

#[test]
fn setpgid_of_stranger_or_executed_child_is_refused() {
    let (mut table, shell, job) = with_job();
    let by = |pid, by| SetGroup { pid, group: shell, by, session: shell };
    assert_eq!(table.set_group(by(shell, shell)), Err(Errno::EPERM), "a leader of a session");
    assert_eq!(table.set_group(by(shell, job)), Err(Errno::ESRCH), "no child");
    assert_eq!(table.set_group(by(9999, shell)), Err(Errno::ESRCH));
    assert_eq!(table.set_group(by(job, shell)), Ok(()));
    assert_eq!(table.set_group(SetGroup { session: INIT, ..by(job, shell) }), Err(Errno::EPERM), "another session");
    table.rename(Rename { pid: job, executes: false }, b"job").unwrap();
    assert_eq!(table.set_group(by(job, shell)), Ok(()), "it is only called otherwise");
    table.rename(Rename { pid: job, executes: true }, b"job").unwrap();
    assert_eq!(table.set_group(by(job, shell)), Err(Errno::EACCES));
    assert_eq!(table.set_group(SetGroup { group: job, ..by(job, job) }), Ok(()), "itself");
}

#[test]
fn orphaned_stopped_group_is_hung_up_and_goes_on() {
    let (mut table, shell, job) = with_job();
    let second = table.spawn(3, job, 0, 0).unwrap();
    stop(&mut table, second);
    // A job of the shell: that could continue it.
    table.exit(job, 0).unwrap();
    assert_eq!(table.get(second).unwrap().pending, bit(SIGHUP), "its last parent in another group has ended");
    let (mut table, shell_again, job) = with_job();
    assert_eq!(shell, shell_again);
    stop(&mut table, job);
    let ended = table.exit(shell, 0).unwrap();
    assert_eq!((ended.parent, ended.orphaned, ended.leads), (INIT, 0, true));
    assert_eq!(table.get(job).unwrap().pending, bit(SIGHUP));
    assert_eq!(table.gone_on(job), Ok(Some(INIT)), "SIGCONT came too");
}

#[test]
fn orphaned_group_that_runs_gets_nothing() {
    let (mut table, shell, job) = with_job();
    table.exit(shell, 0).unwrap();
    assert_eq!(table.get(job).unwrap().pending, 0);
    assert!(!table.exit(job, 0).unwrap().leads);
}

#[test]
fn group_with_stopped_child_elsewhere_is_reported() {
    let (mut table, shell, _) = with_job();
    let far = 8 * 500 + 1;
    table.begin_fork(shell, 0).unwrap();
    table.add_child(shell, far, far, 0).unwrap();
    table.child_exited(shell, far, u32::from(SIGTSTP) << 8 | 0x7f).unwrap();
    assert_eq!(table.exit(shell, 0).unwrap().orphaned, far);
}

#[test]
fn stop_of_child_sends_no_signal_to_quiet_parent() {
    let (mut table, shell, job) = with_job();
    table.set_reaps(shell, false, true).unwrap();
    table.set_ignored(shell, 0).unwrap();
    stop(&mut table, job);
    table.kill(job, SIGCONT, Cause::user(0)).unwrap();
    assert_eq!(table.get(shell).unwrap().pending, 0);
    table.exit(job, 0).unwrap();
    assert_eq!(table.get(shell).unwrap().pending, bit(SIGCHLD));
}
