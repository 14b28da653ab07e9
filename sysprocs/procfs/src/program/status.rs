//! `/proc/PID/status`: what a program is, in lines with names (proc(5)).

use crate::server::ProcFilesState;
use crate::window::{TextWindow, put};
use renga_hal::memory::{PAGE_BYTES, UserMemory};
use renga_proto::listed::Listed;
use renga_rt::account::Count;
use renga_rt::proc_info::GAINS_NOTHING_BIT;

const KIB_PER_FRAME: u64 = PAGE_BYTES as u64 / 1024;
/// Descriptors that a program has room for, as Linux begins.
const DESCRIPTORS: u32 = 64;
/// All capabilities, which root has.
const CAPABILITIES: u64 = 0x1ff_ffff_ffff;

fn state_name(state: u8) -> &'static str {
    match state {
        b'R' => "R (running)",
        b'T' | b'H' => "T (stopped)",
        b'Z' => "Z (zombie)",
        _ => "S (sleeping)",
    }
}

/// Real, effective, saved, and that for files.
fn four_ids([first, second]: [u64; 2]) -> [u32; 4] {
    [first as u32, (first >> 32) as u32, second as u32, (second >> 32) as u32]
}

impl<M: UserMemory> ProcFilesState<M> {
    pub(super) fn program_status(&self, listed: &Listed, out: &mut TextWindow<'_>) {
        let Listed { pid, process, parent, group, session, threads, .. } = *listed;
        let info = self.info(pid).ok();
        let umask = info.map_or(0, |info| info.umask.get());
        let [ids @ .., others] = info.map_or([0; 5], |info| info.credentials.get());
        let [users, groups] = [[ids[0], ids[1]], [ids[2], ids[3]]].map(four_ids);
        let [blocked, ignored, handled] = info.map_or([0; 3], |info| info.signals.get());
        out.push(b"Name:\t");
        out.name_in_line(&listed.name);
        put!(out, "\nUmask:\t{umask:04o}\nState:\t{}\nTgid:\t{process}\nNgid:\t0\n", state_name(listed.state));
        put!(out, "Pid:\t{pid}\nPPid:\t{parent}\nTracerPid:\t0\n");
        for (name, [real, effective, saved, files]) in [("Uid", users), ("Gid", groups)] {
            put!(out, "{name}:\t{real}\t{effective}\t{saved}\t{files}\n");
        }
        put!(out, "FDSize:\t{DESCRIPTORS}\nGroups:\t");
        let further = info.map_or([0; 16], |info| info.groups.get());
        for place in 0..(others as u32 as usize).min(2 * further.len()) {
            put!(out, "{} ", (further[place / 2] >> (32 * (place % 2))) as u32);
        }
        put!(out, "\nNStgid:\t{process}\nNSpid:\t{pid}\n");
        put!(out, "NSpgid:\t{group}\nNSsid:\t{session}\n");
        if listed.state != b'Z' {
            self.memory_lines(listed, out);
        }
        put!(out, "Threads:\t{threads}\nSigQ:\t0/1024\nSigPnd:\t{:016x}\nShdPnd:\t{:016x}\n", 0, listed.pending);
        put!(out, "SigBlk:\t{:016x}\nSigIgn:\t{:016x}\nSigCgt:\t{:016x}\n", blocked, ignored, handled);
        let own = if users[1] == 0 { CAPABILITIES } else { 0 };
        for (name, set) in [("Inh", 0), ("Prm", own), ("Eff", own), ("Bnd", CAPABILITIES), ("Amb", 0)] {
            put!(out, "Cap{name}:\t{set:016x}\n");
        }
        put!(out, "NoNewPrivs:\t{}\nSeccomp:\t0\nSeccomp_filters:\t0\n", others >> GAINS_NOTHING_BIT & 1);
        let board = self.board;
        put!(out, "Cpus_allowed:\t{:x}\nCpus_allowed_list:\t{board}\nMems_allowed:\t1\n", 1 << board);
        put!(out, "Mems_allowed_list:\t0\nvoluntary_ctxt_switches:\t{}\n", listed.count(Count::VoluntarySwitches));
        put!(out, "nonvoluntary_ctxt_switches:\t{}\n", listed.count(Count::InvoluntarySwitches));
    }

    fn memory_lines(&self, listed: &Listed, out: &mut TextWindow<'_>) {
        let (resident, size) =
            (listed.count(Count::FramesResident) * KIB_PER_FRAME, self.pages_of(listed) * KIB_PER_FRAME);
        for (name, kib) in [
            ("VmPeak", size),
            ("VmSize", size),
            ("VmLck", 0),
            ("VmPin", 0),
            ("VmHWM", resident),
            ("VmRSS", resident),
            ("RssAnon", resident),
            ("RssFile", 0),
            ("RssShmem", 0),
            ("VmData", size),
            ("VmStk", 0),
            ("VmExe", 0),
            ("VmLib", 0),
            ("VmPTE", 0),
            ("VmSwap", 0),
        ] {
            put!(out, "{name}:\t{kib:>8} kB\n");
        }
    }
}
