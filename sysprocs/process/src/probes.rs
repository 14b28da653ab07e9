//! Probes of user-process slots, which `renga trace` shows.
//!
//! Not here: how a probe is marked (`kernel/core`).

renga_rt::probe! {
    /// The program has made the system call of that number.
    SystemCall = label "system-call" [4];
    /// Address and access (0 read, 1 write, 2 execute): the program has touched memory that it may not, or not yet.
    Fault = "fault" [8, 1];
    /// Process id, and the name in two words: the slot's program, from now on.
    Program = "program" [4, 8, 8];
    /// The slot's program has ended.
    ProgramEnd = "program-end" [];
}

/// The operands of [`Program`].
pub(crate) fn program_operands(pid: u32, name: &[u8; 16]) -> [u64; 3] {
    let [first, rest] = [0, 8].map(|at| name[at..].first_chunk().map_or(0, |bytes| u64::from_le_bytes(*bytes)));
    [u64::from(pid), first, rest]
}
