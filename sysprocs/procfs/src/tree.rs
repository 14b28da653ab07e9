//! Which synthetic files there are: their names, directories and permissions.
//!
//! Invariant: a file's place in the list is its number, so the list only grows at its end; its directory stands before
//! it. Not here: what is in them, names that are numbers (pids, descriptors).

use renga_proto::proc_files::{DESCRIPTORS, DISK, file_of, pid_of, synthetic_number};

const DIRECTORY: u16 = 0o040_555;
const FILE: u16 = 0o100_444;
const WRITABLE: u16 = 0o100_644;
const SECRET: u16 = 0o100_600;
const PRIVATE: u16 = 0o100_400;
const PRIVATE_DIRECTORY: u16 = 0o040_500;
const PRIVATE_LINK: u16 = 0o120_700;
const LINK: u16 = 0o120_777;
const BLOCK_DEVICE: u16 = 0o060_600;
const OWNER_WRITES: u16 = 0o200;
/// The type bits of a mode, and two types.
const TYPE_MASK: u16 = 0o170_000;
const S_IFDIR: u16 = 0o040_000;
const S_IFLNK: u16 = 0o120_000;

macro_rules! files { ($($(#[$doc:meta])* $ProcFile:ident $name:literal in $Within:ident, $mode:expr;)+) => {
    /// A synthetic file, but for those of descriptors.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum ProcFile { $($(#[$doc])* $ProcFile),+ }

    /// All of them, by their numbers.
    pub(crate) const FILES: &[FileEntry] =
        &[$(FileEntry { file: ProcFile::$ProcFile, name: $name, within: ProcFile::$Within, mode: $mode }),+];
} }

/// What is fixed of a synthetic file.
#[derive(Clone, Copy)]
pub(crate) struct FileEntry {
    pub(crate) file: ProcFile,
    /// Empty: it has a number for a name.
    pub(crate) name: &'static str,
    pub(crate) within: ProcFile,
    pub(crate) mode: u16,
}

files! {
    /// `/proc`.
    Top "" in Top, DIRECTORY;
    Program "" in Top, DIRECTORY;
    /// The reader.
    Own "self" in Top, LINK;
    /// The same: programs have one thread.
    OwnThread "thread-self" in Top, LINK;
    Uptime "uptime" in Top, FILE;
    LoadAverage "loadavg" in Top, FILE;
    Stat "stat" in Top, FILE;
    MemoryInfo "meminfo" in Top, FILE;
    ProcessorInfo "cpuinfo" in Top, FILE;
    Mounts "mounts" in Top, LINK;
    KnownSystems "filesystems" in Top, FILE;
    Version "version" in Top, FILE;
    CommandLine "cmdline" in Top, FILE;
    Devices "devices" in Top, FILE;
    Swaps "swaps" in Top, FILE;
    Partitions "partitions" in Top, FILE;
    VmStat "vmstat" in Top, FILE;
    Tty "tty" in Top, DIRECTORY;
    TtyDrivers "drivers" in Tty, FILE;
    Sys "sys" in Top, DIRECTORY;
    SysKernel "kernel" in Sys, DIRECTORY;
    OsType "ostype" in SysKernel, FILE;
    OsRelease "osrelease" in SysKernel, FILE;
    OsVersion "version" in SysKernel, FILE;
    HostName "hostname" in SysKernel, FILE;
    PidMax "pid_max" in SysKernel, FILE;
    DomainName "domainname" in SysKernel, FILE;
    GroupsMax "ngroups_max" in SysKernel, FILE;
    LastCapability "cap_last_cap" in SysKernel, FILE;
    SysFs "fs" in Sys, DIRECTORY;
    OpenMax "nr_open" in SysFs, FILE;
    PipeMax "pipe-max-size" in SysFs, FILE;
    SysVm "vm" in Sys, DIRECTORY;
    Overcommit "overcommit_memory" in SysVm, FILE;
    SysRandom "random" in SysKernel, DIRECTORY;
    BootId "boot_id" in SysRandom, FILE;
    Renga "renga" in Top, DIRECTORY;
    Boards "boards" in Renga, FILE;
    Processes "processes" in Renga, FILE;
    Link "link" in Renga, FILE;
    Log "log" in Renga, FILE;
    System "system" in Renga, FILE;
    Edges "edges" in Renga, FILE;
    ProgramStat "stat" in Program, FILE;
    Status "status" in Program, FILE;
    StatM "statm" in Program, FILE;
    Arguments "cmdline" in Program, FILE;
    Comm "comm" in Program, FILE;
    Environment "environ" in Program, PRIVATE;
    Exe "exe" in Program, LINK;
    Cwd "cwd" in Program, LINK;
    Root "root" in Program, LINK;
    Io "io" in Program, PRIVATE;
    Limits "limits" in Program, FILE;
    Maps "maps" in Program, FILE;
    ProgramMounts "mounts" in Program, FILE;
    Descriptors "fd" in Program, PRIVATE_DIRECTORY;
    Background "background" in Renga, DIRECTORY;
    Jobs "jobs" in Background, WRITABLE;
    RegulationPolicy "policy" in Background, WRITABLE;
    Thresholds "thresholds" in Background, WRITABLE;
    Ignored "ignored" in Background, WRITABLE;
    RegulationState "state" in Background, FILE;
    RegulationTotals "totals" in Background, FILE;
    IoSpeed "iospeed" in Renga, DIRECTORY;
    Paces "programs" in IoSpeed, WRITABLE;
    Start "start" in Renga, WRITABLE;
    StartCard "card" in Renga, SECRET;
    Reclaim "reclaim" in Renga, DIRECTORY;
    Batching "batching" in Reclaim, WRITABLE;
    ReclaimThresholds "thresholds" in Reclaim, WRITABLE;
    ReclaimState "state" in Reclaim, FILE;
    /// The disk's partition.
    Disk "" in Top, BLOCK_DEVICE;
    Descriptor "" in Descriptors, PRIVATE_LINK;
    Counter "counter" in Renga, WRITABLE;
}

/// What a number stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcPlace {
    /// The program, if it is one's.
    pub(crate) pid: u32,
    pub(crate) file: ProcFile,
    /// Which descriptor, if it is one.
    pub(crate) descriptor: u16,
}

impl ProcPlace {
    pub(crate) const TOP: ProcPlace = ProcPlace::new(0, ProcFile::Top);

    pub(crate) const fn new(pid: u32, file: ProcFile) -> ProcPlace {
        ProcPlace { pid, file, descriptor: 0 }
    }

    /// What `number` stands for, if for anything.
    pub(crate) fn of(number: u32) -> Option<ProcPlace> {
        if let Some(descriptor) = file_of(number).checked_sub(DESCRIPTORS) {
            let place = ProcPlace { pid: pid_of(number), file: ProcFile::Descriptor, descriptor: descriptor as u16 };
            return Some(place).filter(|place| place.pid != 0);
        }
        if number == DISK {
            return Some(ProcPlace::new(0, ProcFile::Disk));
        }
        let entry = FILES.get(file_of(number) as usize).filter(|entry| entry.file != ProcFile::Disk)?;
        let place = ProcPlace::new(pid_of(number), entry.file);
        (entry.file.is_of_program() == (place.pid != 0)).then_some(place)
    }

    pub(crate) fn number(self) -> u32 {
        match self.file {
            ProcFile::Descriptor => synthetic_number(self.pid, DESCRIPTORS + u32::from(self.descriptor)),
            ProcFile::Disk => DISK,
            file => synthetic_number(self.pid, file as u32),
        }
    }

    /// A file of the same program, or of none.
    pub(crate) fn beside(self, file: ProcFile) -> ProcPlace {
        ProcPlace::new(if file.is_of_program() { self.pid } else { 0 }, file)
    }

    pub(crate) fn mode(self) -> u16 {
        self.file.entry().mode
    }
    pub(crate) fn is_directory(self) -> bool {
        self.mode() & TYPE_MASK == S_IFDIR
    }
    pub(crate) fn is_writable(self) -> bool {
        self.mode() & OWNER_WRITES != 0
    }
    pub(crate) fn is_link(self) -> bool {
        self.mode() & TYPE_MASK == S_IFLNK
    }
}

impl ProcFile {
    pub(crate) fn entry(self) -> &'static FileEntry {
        &FILES[self as usize]
    }

    pub(crate) fn is_of_program(self) -> bool {
        matches!(self, ProcFile::Program | ProcFile::Descriptor) || self.entry().within == ProcFile::Program
    }

    /// The file called `name` in this directory.
    pub(crate) fn child(self, name: &[u8]) -> Option<ProcFile> {
        self.children().find(|entry| entry.name.as_bytes() == name).map(|entry| entry.file)
    }

    /// The files in this directory that have names.
    pub(crate) fn children(self) -> impl Iterator<Item = &'static FileEntry> {
        FILES.iter().filter(move |entry| entry.within == self && !entry.name.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::{FILES, ProcFile, ProcPlace};

    #[test]
    fn synthetic_file_numbers_round_trip() {
        for (number, entry) in FILES.iter().enumerate() {
            assert_eq!(entry.file as usize, number);
            assert!(entry.within as usize <= number, "{}", entry.name);
            assert!(entry.within.entry().mode & 0o170_000 == 0o040_000, "{}", entry.name);
            let pid = if entry.file.is_of_program() { 131_071 } else { 0 };
            let place = ProcPlace {
                descriptor: if entry.file == ProcFile::Descriptor { 1023 } else { 0 },
                ..ProcPlace::new(pid, entry.file)
            };
            assert_eq!(ProcPlace::of(place.number()), Some(place));
        }
        let stray = ProcPlace::new(9, ProcFile::Uptime);
        assert_eq!(ProcPlace::of(stray.number()), None);
        assert_eq!(ProcFile::Program.child(b"stat"), Some(ProcFile::ProgramStat));
        assert_eq!(ProcFile::Top.child(b"stat"), Some(ProcFile::Stat));
        assert_eq!(ProcFile::Top.child(b""), None);
    }
}
