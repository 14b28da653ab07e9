//! Names of the system calls that are not implemented, for the log.

macro_rules! names { ($($number:literal $name:literal)*) => {
    /// What the log says of call `number`.
    pub fn not_implemented(number: u64) -> &'static str {
        match number {
            $($number => concat!("system call not implemented: ", $name),)*
            _ => "system call not implemented: no name",
        }
    }
} }
names! {
    0 "io_setup"
    39 "umount2" 40 "mount" 41 "pivot_root" 58 "vhangup" 60 "quotactl" 75 "vmsplice" 76 "splice" 77 "tee"
    84 "sync_file_range" 89 "acct" 97 "unshare" 105 "init_module"
    117 "ptrace" 162 "setdomainname" 170 "settimeofday" 171 "adjtimex" 180 "mq_open"
    186 "msgget" 190 "semget" 213 "readahead" 217 "add_key" 219 "keyctl" 224 "swapon"
    225 "swapoff" 234 "remap_file_pages" 235 "mbind" 241 "perf_event_open" 262 "fanotify_init" 266 "clock_adjtime"
    268 "setns" 272 "kcmp" 273 "finit_module" 277 "seccomp" 279 "memfd_create" 280 "bpf" 281 "execveat"
    282 "userfaultfd" 283 "membarrier" 288 "pkey_mprotect" 425 "io_uring_setup"
    444 "landlock_create_ruleset"
}
