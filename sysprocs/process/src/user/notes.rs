//! What is to be said of each system call: how much of it there is, how it differs from Linux's, which test holds it.
//!
//! The table of `docs/reference/system-calls.md` is made of this and of the calls that there are (`dispatch/table.rs`), by the test
//! `reference`: `RENGA_BLESS=1 cargo test -p renga-process reference`. Not here: what the calls do.

use Held::{Test, Untested};
use State::{NoEffect, Part, Refused, Whole};

/// How much of a call there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum State {
    /// All of it.
    Whole,
    /// Some of it, or it differs.
    Part,
    /// It is accepted and does nothing.
    NoEffect,
    /// It fails, as Linux does where there is no such thing.
    Refused,
}

/// What holds a call to its word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Held {
    /// A test: where it is, file and name.
    Test(&'static str),
    /// None, and why.
    Untested(&'static str),
}

/// The numbers of calls, how much of each there is, in what it differs from Linux's, and what holds it.
pub type Note = (&'static [u64], State, &'static str, Held);

/// The notes: one for all calls of which the same holds.
#[rustfmt::skip]
pub const NOTES: &[Note] = &[
    (&[5, 6, 7, 8, 9, 10, 14, 15, 16], Refused, "`EOPNOTSUPP`.", Test("process unsupported::xattr_calls_are_refused")),
    (&[11, 12, 13], Whole, "", Test("process unsupported::xattr_calls_are_refused")),
    (&[17, 23, 36, 37, 38, 43, 48, 49, 53, 54, 61, 78, 79, 88, 179], Whole, "", Test("cluster applets::applets_on_board_a_match_host")),
    (&[19], Part, "Not by readv and writev. A board has 256 event files: `ENFILE`. Ends with its maker's board.", Test("process events::eventfd_count_is_shared_between_boards")),
    (&[20], Part, "A board has 256 sets and event files: `ENFILE`; they have 1,024 watches together: `ENOSPC`. Ends with its maker's board.", Test("process watches::epoll_set_is_shared_between_boards")),
    (&[21], Part, "A set in a set: `ELOOP`. A watch outlives the last descriptor here while others have the object, as on Linux; for a fifo also if the other opened it separately.", Test("process watches::epoll_ctl_refuses_what_linux_refuses")),
    (&[22], Part, "Reports in the order of adding. Each wait polls everything that is watched.", Test("cluster calls::watches::epoll_matches_linux")),
    (&[24], Whole, "", Test("process programs::dup_copies_and_exec_closes_cloexec")),
    (&[25], Part, "Each process has its own flags of fifos, of signal descriptors and of devices opened by name; later changes are not shared. `F_SETOWN`, `F_SETLEASE`, `F_NOTIFY` and pipe sizes: `EINVAL`. Locks of a cluster: at most 1,024, then `ENOLCK`; of pipes and devices `ENOLCK`.", Test("process status_flags::status_flags_are_shared_by_open_file_description")),
    (&[29], Part, "Terminal: settings, window, foreground group, controlling terminal. Disk: its size.", Test("cluster interactive::session_line_editing_works")),
    (&[32], Part, "Of files and directories; of pipes and devices `ENOLCK`.", Test("sim locks::lock_of_open_file_ends_with_last_descriptor")),
    (&[33], Whole, "", Test("cluster calls::fifos::fifos_match_host")),
    (&[34, 35], Whole, "", Test("cluster files::files_on_both_boards_match_host")),
    (&[44], Whole, "", Untested("as statfs, by one function")),
    (&[45], Whole, "", Untested("as ftruncate, by one function")),
    (&[46], Whole, "", Test("sim disk_board::disk_board_reboot_reopens_surviving_file")),
    (&[47], Refused, "`EOPNOTSUPP`, as on ext2.", Test("process unsupported::fadvise_is_checked_and_fallocate_is_refused")),
    (&[50], Whole, "", Untested("as chdir, by one function")),
    (&[51], Part, "Not into `/proc` (`EPERM`).", Test("cluster calls::roots::chroot_paths_match_linux")),
    (&[52], Whole, "", Untested("as fchmodat, by one function")),
    (&[55], Whole, "", Untested("as fchownat, by one function")),
    (&[56], Part, "`O_TMPFILE`: `EOPNOTSUPP`; programs then create and remove a named file. `fstat` of an `O_PATH` symbolic link does not report the size.", Test("process fifos::fifo_open_on_two_boards_waits_for_partner")),
    (&[57], Part, "Answered before the file is written back; reports an earlier failed write.", Test("process remote_fork::remote_pipeline_moves_bytes_between_boards")),
    (&[59], Part, "A board's programs share its pipes: `ENFILE`.", Test("process unsupported::fadvise_is_checked_and_fallocate_is_refused")),
    (&[62], Part, "`SEEK_DATA` and `SEEK_HOLE`: `EINVAL`; `cp` then searches zeros itself.", Test("process remote_fork::remote_fork_carries_whole_process_state")),
    (&[63], Part, "After 64 pages of one transfer other programs run, and a signal ends the call short.", Test("process remote_fork::remote_pipeline_moves_bytes_between_boards")),
    (&[64], Part, "Without `O_APPEND`, a transfer of several pages to a shared offset is not atomic. A signal may end the call short.", Test("process remote_fork::remote_fork_carries_whole_process_state")),
    (&[65], Part, "A negative length is no error.", Test("process programs::writev_small_vector_is_one_write")),
    (&[66], Whole, "", Test("process programs::writev_small_vector_is_one_write")),
    (&[67], Whole, "", Test("cluster times::unix::unix_times_stay_within_bounds")),
    (&[68], Whole, "", Untested("sqlite3 of `cluster images` writes so")),
    (&[69, 70], Whole, "", Test("process vectors::preadv2_uses_offset_or_file_position")),
    (&[71], Part, "Between files, pipes and the terminal.", Test("cluster applets::applets_on_board_a_match_host")),
    (&[72], Whole, "", Test("cluster calls::waits::poll_of_two_boards_reports_first_event")),
    (&[73], Whole, "", Test("process poll_boards::poll_remote_writer_wakes_waiter")),
    (&[74], Part, "Not by readv. A changed set applies to the copies in the same process only.", Test("process signal_files::signalfd_read_waits_for_signal")),
    (&[80], Part, "Of an open fifo no owner, times and links.", Test("cluster applets::applets_on_board_a_match_host")),
    (&[81], Part, "Answered when the medium has everything.", Test("cluster files::disk_option_keeps_data_between_runs")),
    (&[82], Part, "Answered when the medium has the file.", Test("sim disk_board::disk_board_cut_makes_lost_file_stale")),
    (&[83], Part, "As fsync.", Untested("as fsync, by one function")),
    (&[85], Part, "As eventfd2.", Test("process events::timerfd_read_on_other_board_gets_expirations")),
    (&[86], Whole, "", Test("process events::timerfd_read_on_other_board_gets_expirations")),
    (&[87], Whole, "", Test("cluster calls::events::event_files_match_linux")),
    (&[92, 148, 150, 174, 175, 176, 177], Part, "Always 0.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[93], Whole, "", Untested("as exit_group: programs have one thread")),
    (&[94], Whole, "", Test("process locks::file_lock_close_releases_and_table_is_bounded")),
    (&[95], Whole, "", Test("process wait_calls::waitid_nowait_keeps_status")),
    (&[96, 156, 166, 172, 173, 178], Whole, "", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[98], Part, "`FUTEX_WAKE` wakes nobody; others `ENOSYS`: programs have one thread.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[99], NoEffect, "Without effect: programs have one thread.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[101, 155], Whole, "", Test("process remote_fork::remote_signals_and_groups_reach_other_boards")),
    (&[102, 103], Whole, "", Test("process timers::setitimer_interrupts_wait_repeatedly")),
    (&[107], Part, "`SIGEV_SIGNAL`, `SIGEV_NONE`, `SIGEV_THREAD_ID` of the caller. Clocks: calendar, monotonic, since boot, the caller's own time. At most 32 a program.", Test("process timers::timers_survive_exec_but_not_fork")),
    (&[108, 110], Whole, "", Test("process timers::timers_survive_exec_but_not_fork")),
    (&[109, 111], Whole, "", Test("process timers::timer_signal_carries_value_and_overruns")),
    (&[112], Part, "Moves this board's clock only; file times stay on the boot epoch.", Test("process timers::clock_settime_keeps_sleep_length")),
    (&[113], Whole, "", Test("process timers::clock_settime_keeps_sleep_length")),
    (&[114, 120, 124, 125, 126], Whole, "", Test("process identity::scheduler_priorities_match_linux")),
    (&[115], Part, "Not by clocks of processes: `EOPNOTSUPP`.", Test("process timers::clock_settime_keeps_sleep_length")),
    (&[116], Part, "The log of the program's board. It can be neither consumed nor cleared (`EPERM`).", Test("cluster proc::system::procfs_log_is_read_on_its_board")),
    (&[118, 121], Whole, "", Test("cluster times::shares::scheduler_real_time_preempts_fair")),
    (&[119], Part, "Without `SCHED_RESET_ON_FORK` and `SCHED_DEADLINE`.", Test("cluster times::shares::scheduler_real_time_preempts_fair")),
    (&[122], Part, "Only the board's cores for programs; on another board that has none of them, all.", Test("cluster boards::cores::cores_programs_respect_affinity_and_share")),
    (&[123], Part, "As sched_setaffinity.", Test("cluster boards::cores::cores_programs_respect_affinity_and_share")),
    (&[127], Part, "1 ms of fair classes, 10 ms of `SCHED_RR`.", Test("process identity::scheduler_priorities_match_linux")),
    (&[129], Part, "To a process of any board, or a group on all of them.", Test("process remote_fork::remote_signals_and_groups_reach_other_boards")),
    (&[130, 131, 135], Whole, "", Test("process identity::tkill_signals_the_process")),
    (&[132], Whole, "", Untested("no test makes a stack overflow into one")),
    (&[133], Whole, "", Test("process signals::sigsuspend_waits_for_unblocked_signal")),
    (&[134], Part, "`SA_NOCLDSTOP` has no effect; `SA_RESETHAND` clears all flags.", Test("process programs::transfer_huge_signal_returns_short_count")),
    (&[136], Whole, "", Test("process signals::signal_ignored_but_blocked_stays_pending")),
    (&[137], Whole, "", Test("process signals::sigtimedwait_takes_signal_without_handler")),
    (&[138], Part, "The sender's user is always root.", Test("process timers::sigqueue_keeps_order_and_values")),
    (&[139], Whole, "", Test("process signals::signal_handler_runs_and_returns")),
    (&[140], Part, "Of processes, not of groups or users.", Test("cluster times::shares::scheduler_shares_follow_nice")),
    (&[141], Part, "Likewise.", Test("process identity::scheduler_priorities_match_linux")),
    (&[142, 161], Refused, "`EPERM`.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[143, 144, 145, 146, 147, 149, 159], NoEffect, "Without effect.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[153], Whole, "", Test("cluster times::time::accounts_include_work_of_other_boards")),
    (&[154], Part, "Checks neither session nor group.", Test("process remote_fork::remote_signals_and_groups_reach_other_boards")),
    (&[157], Part, "`/dev/tty` still opens afterwards.", Test("cluster interactive::session_typed_command_runs")),
    (&[158], Part, "No groups.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[160], Part, "Linux, the board's letter, `6.1.0-renga`, `aarch64`.", Test("cluster applets::applets_on_board_a_match_host")),
    (&[163], Whole, "", Test("cluster limits::limits_arguments_stack_and_poll_match_linux")),
    (&[164], Part, "NOFILE (at most 1,024), NPROC (counts the board's programs), SIGPENDING (by program; a board has room for 1,024), FSIZE, AS and STACK (at most 64 MiB) hold; others are kept without effect.", Test("process timers::sigqueue_beyond_limit_gets_eagain")),
    (&[165], Part, "System time includes servers of all boards; peak page frames; context switches. Of children times, faults and frames. No signals or swaps.", Test("cluster times::time::accounts_of_children_include_peak_memory")),
    (&[167], Part, "The process's name; the dump flag, without core dumps.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[168], Whole, "", Test("cluster boards::cores::cores_programs_respect_affinity_and_share")),
    (&[169], Whole, "", Untested("as clock_gettime, by one function")),
    (&[198, 199], Refused, "`EAFNOSUPPORT`: there are no sockets.", Test("process unsupported::socket_calls_are_refused")),
    (&[200, 201, 202, 203, 204, 205, 206, 207, 208, 209, 210, 211, 212, 242, 243, 269], Refused, "`ENOTSOCK`.", Test("process unsupported::socket_calls_are_refused")),
    (&[214, 215], Whole, "", Test("process programs::brk_and_mmap_give_zero_pages")),
    (&[216], Part, "With or without `MREMAP_MAYMOVE`, no other flags.", Test("memory space::space_mremap_grows_shrinks_and_moves")),
    (&[220], Part, "fork, and vfork with `CLONE_VM` and `CLONE_VFORK`; thread pointer and tid flags. No threads: `ENOSYS`.", Test("process remote_fork::remote_fork_bad_target_is_refused")),
    (&[221], Part, "ELF, static, static-PIE or with an interpreter; and `#!` scripts.", Test("process remote_fork::remote_pipeline_moves_bytes_between_boards")),
    (&[222], Part, "No writable shared file mappings on a board without leases (`ENODEV`); a fork onto another board copies anonymous shared memory.", Test("cluster sharing::mmap_and_read_write_share_bytes")),
    (&[223], NoEffect, "Checked, and ignored.", Test("process unsupported::fadvise_is_checked_and_fallocate_is_refused")),
    (&[226], Part, "`EACCES` for writable and executable pages.", Test("memory space::space_writable_and_executable_is_refused")),
    (&[227], Part, "`MS_SYNC` is answered when the medium has everything.", Test("cluster sharing::mmap_synced_stores_survive_power_cut")),
    (&[228], NoEffect, "Checks the addresses: nothing of a program is paged out.", Test("process identity::mlock_calls_succeed_on_mapped_memory")),
    (&[229, 230, 231, 284], NoEffect, "Likewise.", Test("process identity::mlock_calls_succeed_on_mapped_memory")),
    (&[232], Part, "Reports pages usable without a fault; other cached pages count as absent.", Test("process descriptor_ranges::mincore_reports_touched_pages")),
    (&[233], Part, "`MADV_DONTNEED`; other advice is ignored.", Test("memory space::space_mapping_splits_joins_and_finds_hole")),
    (&[240], Part, "Likewise.", Test("process identity::tkill_signals_the_process")),
    (&[260], Part, "The usage as of children (`getrusage`).", Test("process remote_fork::remote_fork_carries_whole_process_state")),
    (&[261], Part, "As `setrlimit`, of the caller only.", Untested("as setrlimit, by one function")),
    (&[267], Part, "As sync.", Untested("as sync, by one function")),
    (&[274], Part, "Class, nice value and priority.", Untested("as sched_setscheduler, by one function")),
    (&[275], Whole, "", Untested("as sched_getscheduler, by one function")),
    (&[276], Part, "`RENAME_NOREPLACE` checks before the rename, not under the name lock; no other flags.", Test("sim boot::boot_names_change_on_disk_board_only")),
    (&[278], Part, "Numbers repeat with the seed of the run.", Untested("no test of its own yet")),
    (&[285], Part, "Regular files only; overlapping ranges of one file are not refused.", Test("process descriptor_ranges::copy_file_range_and_sendfile_move_bytes")),
    (&[286], Part, "`RWF_NOWAIT` and what is newer: `EOPNOTSUPP`, as Linux on ext2.", Test("process vectors::preadv2_uses_offset_or_file_position")),
    (&[287], Part, "`RWF_NOWAIT` and what is newer: `EOPNOTSUPP`.", Test("process vectors::preadv2_uses_offset_or_file_position")),
    (&[291], Part, "No time of birth, attributes or mount.", Test("process unsupported::statx_matches_stat")),
    (&[293], Refused, "`ENOSYS`, which the C library expects to survive.", Test("process identity::identity_ids_are_root_and_single_threaded")),
    (&[436], Whole, "", Test("process descriptor_ranges::close_range_closes_all_in_range")),
    (&[439], Whole, "", Untested("as faccessat, by one function")),
    (&[441], Part, "As epoll_pwait.", Test("cluster calls::watches::epoll_matches_linux")),
    (&[1000], Part, "Forks onto board `x0`; 0 in the child. See below.", Test("process remote_fork::remote_fork_carries_whole_process_state")),
    (&[1001], Part, "Facts about the cluster. See below.", Test("cluster remote::remote_child_behaves_as_local_child")),
    (&[1002], Part, "Stops the cluster with exit status `x0`, everything on the medium. Init only, else `EPERM`.", Test("process programs::halt_unmounts_and_passes_status")),
];
