//! `docs/reference/system-calls.md` lists the calls that there are, and each of them has a test, or a reason why not.

use renga_process::user::IMPLEMENTED;
use std::fs;
use std::path::{Path, PathBuf};

const PAGE: &str = "docs/reference/system-calls.md";
/// Around the table of the page.
const BEGIN: &str = "<!-- checked by sysprocs/process/tests/process/reference.rs -->\n";
const END: &str = "<!-- end of the checked part -->\n";
const HEADING: &str = "| Number | Call | State | Differs from Linux in |\n|---|---|---|---|\n";
const STATES: [&str; 4] = ["whole", "part", "no effect", "refused"];

/// The test of each call, by its folder, file and name.
#[rustfmt::skip]
const TESTS: &[(&str, &[u64])] = &[
    ("process unsupported::xattr_calls_are_refused", &[5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16]),
    ("cluster applets::applets_on_board_a_match_host", &[17, 23, 36, 37, 38, 43, 48, 49, 53, 54, 61, 71, 78, 79, 80, 88, 160, 179]),
    ("process events::eventfd_count_is_shared_between_boards", &[19]),
    ("process watches::epoll_set_is_shared_between_boards", &[20]),
    ("process watches::epoll_ctl_refuses_what_linux_refuses", &[21]),
    ("cluster calls::watches::epoll_matches_linux", &[22, 441]),
    ("process programs::dup_copies_and_exec_closes_cloexec", &[24]),
    ("process status_flags::status_flags_are_shared_by_open_file_description", &[25]),
    ("cluster commands::interactive::session_line_editing_works", &[29]),
    ("sim locks::lock_of_open_file_ends_with_last_descriptor", &[32]),
    ("cluster calls::fifos::fifos_match_host", &[33]),
    ("cluster files::files_on_both_boards_match_host", &[34, 35]),
    ("sim disk_board::disk_board_reboot_reopens_surviving_file", &[46]),
    ("process unsupported::fadvise_is_checked_and_fallocate_is_refused", &[47, 59, 223]),
    ("cluster calls::roots::chroot_paths_match_linux", &[51]),
    ("process fifos::fifo_open_on_two_boards_waits_for_partner", &[56]),
    ("process remote_fork::remote_pipeline_moves_bytes_between_boards", &[57, 63, 221]),
    ("process remote_fork::remote_fork_carries_whole_process_state", &[62, 64, 260, 1000]),
    ("process programs::writev_small_vector_is_one_write", &[65, 66]),
    ("cluster times::unix::unix_times_stay_within_bounds", &[67]),
    ("process vectors::preadv2_uses_offset_or_file_position", &[69, 70, 286, 287]),
    ("cluster calls::waits::poll_of_two_boards_reports_first_event", &[72]),
    ("process poll_boards::poll_remote_writer_wakes_waiter", &[73]),
    ("process signal_files::signalfd_read_waits_for_signal", &[74]),
    ("cluster files::disk_option_keeps_data_between_runs", &[81]),
    ("sim disk_board::disk_board_cut_makes_lost_file_stale", &[82]),
    ("process events::timerfd_read_on_other_board_gets_expirations", &[85, 86]),
    ("cluster calls::events::event_files_match_linux", &[87]),
    ("process identity::ids_follow_linux_rules", &[90, 91, 143, 144, 145, 146, 147, 148, 149, 150, 151, 152, 158, 159, 174, 175, 176, 177]),
    ("process identity::identity_facts_match_linux", &[92, 96, 142, 156, 161, 166, 167, 172, 173, 178, 293]),
    ("process locks::file_lock_close_releases_and_table_is_bounded", &[94]),
    ("process futexes::futex_bad_calls_fail_as_on_linux", &[98]),
    ("process threads::first_thread_that_exits_leaves_the_others_running", &[93]),
    ("process futexes::futex_lock_of_ended_program_is_given_on", &[99, 100]),
    ("process wait_calls::waitid_nowait_keeps_status", &[95]),
    ("process remote_fork::remote_signals_and_groups_reach_other_boards", &[101, 129, 154, 155]),
    ("process timers::setitimer_interrupts_wait_repeatedly", &[102, 103]),
    ("process timers::timers_survive_exec_but_not_fork", &[107, 108, 110]),
    ("process timers::timer_signal_carries_value_and_overruns", &[109, 111]),
    ("process timers::clock_settime_keeps_sleep_length", &[112, 113, 115]),
    ("process identity::scheduler_priorities_match_linux", &[114, 120, 124, 125, 126, 127, 141]),
    ("cluster proc::system::procfs_log_is_read_on_its_board", &[116]),
    ("cluster times::shares::scheduler_real_time_preempts_fair", &[118, 119, 121]),
    ("cluster boards::cores::cores_programs_respect_affinity_and_share", &[122, 123, 168]),
    ("cluster calls::conformance::calls_with_rare_rules_match_linux", &[30, 31, 75, 76, 132, 157, 171, 272, 278, 279, 281, 283, 437, 439]),
    ("process identity::tkill_signals_the_process", &[130, 131, 135, 240]),
    ("process signals::sigsuspend_waits_for_unblocked_signal", &[133]),
    ("process programs::transfer_huge_signal_returns_short_count", &[134]),
    ("process signals::signal_ignored_but_blocked_stays_pending", &[136]),
    ("process signals::sigtimedwait_takes_signal_without_handler", &[137]),
    ("process timers::sigqueue_keeps_order_and_values", &[138]),
    ("process signals::signal_handler_runs_and_returns", &[139]),
    ("cluster times::shares::scheduler_shares_follow_nice", &[140]),
    ("cluster times::time::accounts_include_work_of_other_boards", &[153]),
    ("cluster limits::limits_arguments_stack_and_poll_match_linux", &[163]),
    ("process timers::sigqueue_beyond_limit_gets_eagain", &[164]),
    ("cluster times::time::accounts_of_children_include_peak_memory", &[165]),
    ("process sockets::socketpair_carries_bytes_between_boards", &[199, 206, 207]),
    ("process sockets::socket_listener_accepts_from_other_board", &[198, 200, 201, 203, 205, 210, 242]),
    ("process sockets::socket_messages_and_options_match_linux", &[204, 208, 209, 211, 212, 243, 269]),
    ("cluster calls::segments::segments_of_shared_memory_match_linux", &[194, 195, 196, 197]),
    ("cluster calls::sockets::sockets_match_linux", &[202]),
    ("process programs::brk_and_mmap_give_zero_pages", &[214, 215]),
    ("memory space::space_mremap_grows_shrinks_and_moves", &[216]),
    ("process remote_fork::remote_fork_bad_target_is_refused", &[220]),
    ("cluster sharing::mmap_and_read_write_share_bytes", &[222]),
    ("memory space::space_page_is_written_and_executed_only_together_if_asked", &[226]),
    ("cluster sharing::mmap_synced_stores_survive_power_cut", &[227]),
    ("process identity::mlock_calls_succeed_on_mapped_memory", &[228, 229, 230, 231, 284]),
    ("process descriptor_ranges::mincore_reports_touched_pages", &[232]),
    ("memory space::space_mapping_splits_joins_and_finds_hole", &[233]),
    ("sim boot::boot_names_change_on_file_board_only", &[276]),
    ("process descriptor_ranges::copy_file_range_and_sendfile_move_bytes", &[285]),
    ("process unsupported::statx_matches_stat", &[291]),
    ("process clone3::clone3_thread_runs_on_its_stack_and_has_a_number", &[435]),
    ("cluster calls::watched_files::watched_files_match_linux", &[26, 27, 28]),
    ("process process_files::pidfd_is_readable_when_its_process_has_ended", &[424, 434]),
    ("process descriptor_ranges::close_range_closes_all_in_range", &[436]),
    ("cluster remote::remote_child_behaves_as_local_child", &[1001]),
    ("process programs::halt_unmounts_and_passes_status", &[1002]),
];

/// Calls without a test of their own, and why.
#[rustfmt::skip]
const UNTESTED: &[(&str, &[u64])] = &[
    ("as statfs, by one function", &[44]),
    ("as ftruncate, by one function", &[45]),
    ("as chdir, by one function", &[50]),
    ("as fchmodat, by one function", &[52]),
    ("as fchownat, by one function", &[55]),
    ("sqlite3 of `cluster images` writes so", &[68]),
    ("as fsync, by one function", &[83]),
    ("as clock_gettime, by one function", &[169]),
    ("as setrlimit, by one function", &[261]),
    ("as sync, by one function", &[267]),
    ("as sched_setscheduler, by one function", &[274]),
    ("as sched_getscheduler, by one function", &[275]),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The folder of tests that the first word of a test's name means.
fn folder(word: &str) -> &'static str {
    match word {
        "process" => "sysprocs/process/tests/process",
        "memory" => "sysprocs/memory/tests/memory",
        "sim" => "tools/sim/tests/system",
        "cluster" => "tools/renga/tests/cluster",
        other => panic!("no tests are called {other}"),
    }
}

fn is_test(test: &str) -> bool {
    let (word, name) = test.split_once(' ').unwrap_or((test, ""));
    let (file, name) = name.rsplit_once("::").unwrap_or((name, ""));
    let file = root().join(folder(word)).join(file.replace("::", "/")).with_extension("rs");
    fs::read_to_string(&file).unwrap_or_default().contains(&format!("\nfn {name}()"))
}

#[test]
fn syscall_reference_matches_code() {
    let page = fs::read_to_string(root().join(PAGE)).unwrap();
    let (_, rest) = page.split_once(BEGIN).expect("the page has a checked part");
    let (checked, _) = rest.split_once(END).expect("which ends");
    let mut calls: Vec<(u64, &str)> = IMPLEMENTED.to_vec();
    calls.sort_unstable();
    let head = format!("There are {} calls.\n\n{HEADING}", calls.len());
    let rows: Vec<&str> = checked.strip_prefix(&head).expect("the number of calls, and headings").lines().collect();
    assert_eq!(rows.len(), calls.len(), "{PAGE} has a row for each call");
    for (row, (number, name)) in rows.iter().zip(calls) {
        let cells = row.strip_prefix(&format!("| {number} | `{name}` | ")).and_then(|rest| rest.strip_suffix(" |"));
        let (state, differs) = cells.and_then(|cells| cells.split_once(" | ")).unwrap_or_else(|| {
            panic!("{PAGE}: the row of {number} `{name}` is {row:?}");
        });
        assert!(STATES.contains(&state) && !differs.contains('|'), "{row}");
        assert_eq!(differs.is_empty(), state == "whole", "say what of it there is: {row}");
    }
}

#[test]
fn syscall_tests_exist_for_each_call() {
    let mut wrong: Vec<String> =
        TESTS.iter().filter(|(test, _)| !is_test(test)).map(|(test, _)| test.to_string()).collect();
    let mut tested: Vec<u64> = TESTS.iter().chain(UNTESTED).flat_map(|(_, calls)| calls.iter().copied()).collect();
    tested.sort_unstable();
    wrong.extend(UNTESTED.iter().filter(|(reason, _)| reason.is_empty()).map(|(_, calls)| format!("{calls:?}: why?")));
    assert!(wrong.is_empty(), "{wrong:#?}");
    let mut calls: Vec<u64> = IMPLEMENTED.iter().map(|call| call.0).collect();
    calls.sort_unstable();
    assert_eq!(tested, calls, "each call has one test, or a reason");
}
