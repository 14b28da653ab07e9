//! Which system call is which: the table.
//!
//! Numbers as in Linux's `asm-generic/unistd.h`, which AArch64 uses; from 1000 on, our own.

use crate::user::dispatch::names;
use crate::user::files::transfer_calls::TransferForm::{Plain, PlainAt, Vector, VectorAt, VectorWithFlags};
use crate::user::slot::{LOGGED_WORDS, User};
use crate::user::state::{SyscallResult, finish};
use renga_hal::memory::UserMemory;
use renga_rt::{Errno, apart};

macro_rules! calls { (
    quick { $($($quick:literal $quick_name:ident),+ => $quick_method:ident;)* }
    slow { $($($slow:literal $slow_name:ident),+ => $slow_method:ident $(($($argument:expr),+))?;)* }
) => {
    /// The calls that are implemented, by number and name.
    pub const IMPLEMENTED: &[(u64, &str)] =
        &[$($(($quick, stringify!($quick_name)),)+)* $($(($slow, stringify!($slow_name)),)+)*];

    impl<M: UserMemory> User<M> {
        /// Calls that need no server and no memory of the program.
        #[inline(always)]
        #[allow(clippy::manual_range_patterns, reason = "the table names each call")]
        pub(crate) fn quick(&mut self, number: u64) -> Option<SyscallResult> {
            self.me.probe(crate::probes::SystemCall, [number]);
            match number { $($($quick)|+ => Some(finish(self.$quick_method())),)* _ => None }
        }

        /// All but the quick ones, in every form; each is a function of its own, whose room on the stack the others
        /// do not pay for.
        #[allow(clippy::manual_range_patterns, reason = "the table names each call")]
        pub(crate) async fn dispatch(&mut self, number: u64) -> SyscallResult {
            match number {
                $($($slow)|+ => finish(apart!(self.$slow_method($($($argument),+)?))),)*
                _ => self.unknown(number),
            }
        }
    }
} }

calls! {
    quick {
        92 personality, 231 munlockall => zero;
        96 set_tid_address => set_tid_address;
        99 set_robust_list => set_robust_list;
        124 sched_yield => yield_slice;
        125 sched_get_priority_max => get_priority_max;
        126 sched_get_priority_min => get_priority_min;
        166 umask => umask;
        172 getpid => get_pid;
        178 gettid => get_tid;
        173 getppid => get_parent;
        174 getuid, 175 geteuid, 176 getgid, 177 getegid => get_own_id;
        230 mlockall => lock_all_memory;
        293 rseq => not_here;
    }
    slow {
        5 setxattr, 6 lsetxattr, 7 fsetxattr, 8 getxattr, 9 lgetxattr, 10 fgetxattr, 11 listxattr, 12 llistxattr,
            13 flistxattr, 14 removexattr, 15 lremovexattr, 16 fremovexattr => use_attribute;
        17 getcwd => get_directory;
        19 eventfd2 => make_event_file;
        20 epoll_create1 => make_watches;
        21 epoll_ctl => control_watch;
        22 epoll_pwait => await_watches;
        23 dup => duplicate;
        24 dup3 => duplicate_to;
        25 fcntl => control_descriptor;
        26 inotify_init1 => make_notices;
        27 inotify_add_watch => watch_inode;
        28 inotify_rm_watch => unwatch_inode;
        29 ioctl => control_device;
        30 ioprio_set => set_io_priority;
        31 ioprio_get => get_io_priority;
        32 flock => lock_file;
        33 mknodat => make_node;
        34 mkdirat => make_directory;
        35 unlinkat => unlink;
        36 symlinkat => make_symbolic_link;
        37 linkat => make_link;
        38 renameat => rename;
        43 statfs => file_system_status(true);
        44 fstatfs => file_system_status(false);
        45 truncate => truncate_path;
        46 ftruncate => truncate_file;
        47 fallocate => allocate_room;
        48 faccessat => check_access(false);
        49 chdir => change_directory;
        50 fchdir => change_directory_to;
        51 chroot => change_root;
        52 fchmod => change_mode(false);
        53 fchmodat => change_mode(true);
        54 fchownat => change_owner(true);
        55 fchown => change_owner(false);
        56 openat => open(false);
        437 openat2 => open(true);
        57 close => close;
        59 pipe2 => make_pipe;
        61 getdents64 => read_directory;
        62 lseek => seek;
        63 read => read(Plain);
        64 write => write(Plain);
        65 readv => read(Vector);
        66 writev => write(Vector);
        67 pread64 => read(PlainAt);
        68 pwrite64 => write(PlainAt);
        69 preadv => read(VectorAt);
        70 pwritev => write(VectorAt);
        71 sendfile => send_file;
        75 vmsplice => splice_memory;
        76 splice => splice;
        72 pselect6 => select;
        73 ppoll => poll;
        74 signalfd4 => make_signal_file;
        78 readlinkat => read_link;
        79 newfstatat => status_at;
        80 fstat => status;
        81 sync, 267 syncfs => sync_all;
        82 fsync, 83 fdatasync => sync_file;
        85 timerfd_create => make_timer_file;
        86 timerfd_settime => set_timer_file;
        87 timerfd_gettime => get_timer_file;
        88 utimensat => change_times;
        90 capget => get_capabilities;
        91 capset => set_capabilities;
        93 exit => exit_thread;
        94 exit_group => exit;
        98 futex => futex;
        100 get_robust_list => get_robust_list;
        101 nanosleep => sleep;
        102 getitimer => get_interval_timer;
        103 setitimer => set_interval_timer;
        107 timer_create => make_timer;
        108 timer_gettime => get_timer;
        109 timer_getoverrun => get_overruns;
        110 timer_settime => set_timer;
        111 timer_delete => delete_timer;
        112 clock_settime => set_clock;
        113 clock_gettime => get_clock;
        114 clock_getres => get_clock_resolution;
        115 clock_nanosleep => sleep_by_clock;
        116 syslog => system_log;
        118 sched_setparam => set_scheduler_parameters;
        119 sched_setscheduler => set_scheduler;
        120 sched_getscheduler => get_scheduler;
        121 sched_getparam => get_scheduler_parameters;
        122 sched_setaffinity => set_affinity;
        123 sched_getaffinity => get_affinity;
        127 sched_rr_get_interval => get_round_robin_interval;
        129 kill => kill;
        130 tkill => kill_thread(0);
        131 tgkill => kill_thread(1);
        132 sigaltstack => set_alternate_stack;
        133 rt_sigsuspend => suspend;
        134 rt_sigaction => set_action;
        135 rt_sigprocmask => set_mask;
        136 rt_sigpending => pending_signals;
        137 rt_sigtimedwait => await_signal;
        138 rt_sigqueueinfo => queue_signal(0);
        139 rt_sigreturn => return_from_handler;
        142 reboot, 161 sethostname => forbidden;
        140 setpriority => set_priority;
        141 getpriority => get_priority;
        143 setregid => set_two_ids(true);
        144 setgid => set_id(true);
        145 setreuid => set_two_ids(false);
        146 setuid => set_id(false);
        147 setresuid => set_three_ids(false);
        148 getresuid => get_three_ids(false);
        149 setresgid => set_three_ids(true);
        150 getresgid => get_three_ids(true);
        151 setfsuid => set_file_id(false);
        152 setfsgid => set_file_id(true);
        153 times => get_times;
        154 setpgid => set_group;
        155 getpgid => get_group;
        156 getsid => get_session;
        157 setsid => new_session;
        158 getgroups => get_groups;
        159 setgroups => set_groups;
        160 uname => describe_system;
        163 getrlimit => get_limit;
        164 setrlimit => set_limit;
        165 getrusage => get_usage;
        167 prctl => control_process;
        168 getcpu => get_processor;
        169 gettimeofday => get_time_of_day;
        171 adjtimex => adjust_clock;
        179 sysinfo => system_facts;
        198 socket => make_socket;
        199 socketpair => make_socket_pair;
        200 bind => bind_socket;
        201 listen => listen_at_socket;
        202 accept => accept_connection(false);
        203 connect => connect_socket;
        204 getsockname => get_socket_address(false);
        205 getpeername => get_socket_address(true);
        206 sendto => send_to_socket;
        207 recvfrom => receive_from_socket;
        208 setsockopt => set_socket_option;
        209 getsockopt => get_socket_option;
        210 shutdown => shut_socket;
        211 sendmsg => send_message;
        212 recvmsg => receive_message;
        242 accept4 => accept_connection(true);
        243 recvmmsg => receive_messages;
        269 sendmmsg => send_messages;
        194 shmget => get_segment;
        195 shmctl => control_segment;
        196 shmat => attach_segment;
        197 shmdt => detach_segment;
        214 brk => set_break;
        215 munmap => unmap;
        216 mremap => remap;
        220 clone => clone;
        435 clone3 => clone_by_structure;
        424 pidfd_send_signal => signal_process;
        434 pidfd_open => open_process;
        221 execve => execute(false);
        281 execveat => execute(true);
        222 mmap => map;
        223 fadvise64 => advise_about_file;
        226 mprotect => protect;
        227 msync => sync_mapping;
        228 mlock, 229 munlock => lock_memory;
        284 mlock2 => lock_memory_with_flags;
        232 mincore => which_are_present;
        233 madvise => advise;
        240 rt_tgsigqueueinfo => queue_signal(1);
        260 wait4 => wait;
        95 waitid => wait_id;
        261 prlimit64 => change_limit;
        274 sched_setattr => set_scheduler_attributes;
        275 sched_getattr => get_scheduler_attributes;
        272 kcmp => compare_processes;
        279 memfd_create => make_memory_file;
        283 membarrier => order_memory;
        276 renameat2 => rename_with;
        278 getrandom => get_random;
        285 copy_file_range => copy_file_range;
        286 preadv2 => read(VectorWithFlags);
        287 pwritev2 => write(VectorWithFlags);
        291 statx => extended_status;
        436 close_range => close_range;
        439 faccessat2 => check_access(true);
        441 epoll_pwait2 => await_watches_until;
        1000 renga_fork => fork_to_board;
        1001 renga_info => cluster_facts;
        1002 renga_halt => halt;
    }
}

impl<M: UserMemory> User<M> {
    /// A call that we do not have: logged once by each slot.
    fn unknown(&mut self, number: u64) -> SyscallResult {
        // Numbers that Linux does not have share the last bit.
        let place = number.min(64 * LOGGED_WORDS as u64 - 1);
        let (seen, bit) = (&mut self.logged[(place / 64) as usize], 1 << (place % 64));
        if *seen & bit == 0 {
            *seen |= bit;
            self.me.log(names::not_implemented(number), [number, u64::from(self.program.pid)]);
        }
        finish(self.not_here())
    }

    /// A call that programs expect to be missing.
    fn not_here(&mut self) -> Result<u64, Errno> {
        Err(Errno::ENOSYS)
    }

    /// A call that has nothing to do here.
    fn zero(&mut self) -> Result<(), Errno> {
        Ok(())
    }

    async fn forbidden(&mut self) -> Result<(), Errno> {
        Err(Errno::EPERM)
    }
}
