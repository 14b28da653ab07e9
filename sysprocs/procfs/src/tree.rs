//! Which synthetic files there are: their names, directories and permissions.
//!
//! Invariant: a file's place in the list is its number, so the list only grows at its end; its directory stands before
//! it. Not here: what is made when they are read, names that are numbers (pids, descriptors).

use renga_proto::proc_files::{DESCRIPTORS, DISK, file_of, pair_node, pid_of, synthetic_number};
use renga_proto::settings::Setting;

use crate::interface_fact::InterfaceFact;
use ContentSource::{OfInterface, Reclaiming, Regulation, Text};

const DIRECTORY: u16 = 0o040_555;
const FILE: u16 = 0o100_444;
const WRITABLE: u16 = 0o100_644;
/// Any user may write it: it changes nothing.
const MARK: u16 = 0o100_666;
const SECRET: u16 = 0o100_600;
const PRIVATE: u16 = 0o100_400;
const PRIVATE_DIRECTORY: u16 = 0o040_500;
const PRIVATE_LINK: u16 = 0o120_700;
const LINK: u16 = 0o120_777;
const BLOCK_DEVICE: u16 = 0o060_600;
const CHARACTER_DEVICE: u16 = 0o020_620;
const OWNER_WRITES: u16 = 0o200;
/// The type bits of a mode, and two types.
const TYPE_MASK: u16 = 0o170_000;
const S_IFDIR: u16 = 0o040_000;
const S_IFLNK: u16 = 0o120_000;

macro_rules! files { (
    $($(#[$doc:meta])* $ProcFile:ident $name:literal in $Within:ident, $mode:expr $(, $content:expr)?;)+
) => {
    /// A synthetic file, but for those of descriptors.
    #[derive(Clone, Copy, PartialEq, Eq, Debug)]
    pub(crate) enum ProcFile { $($(#[$doc])* $ProcFile),+ }

    /// All of them, by their numbers.
    pub(crate) const FILES: &[FileEntry] = &[$(FileEntry {
        $(content: $content,)?
        ..FileEntry::of(ProcFile::$ProcFile, $name, ProcFile::$Within, $mode)
    }),+];
} }

/// What is fixed of a synthetic file.
#[derive(Clone, Copy)]
pub(crate) struct FileEntry {
    pub(crate) file: ProcFile,
    /// Empty: it has a number for a name.
    pub(crate) name: &'static str,
    pub(crate) within: ProcFile,
    pub(crate) mode: u16,
    pub(crate) content: ContentSource,
}

impl FileEntry {
    const fn of(file: ProcFile, name: &'static str, within: ProcFile, mode: u16) -> FileEntry {
        FileEntry { file, name, within, mode, content: ContentSource::Made }
    }
}

/// Where the content of a file comes from.
#[derive(Clone, Copy)]
pub(crate) enum ContentSource {
    /// It is made when it is read.
    Made,
    /// A fact of an interface, by its place in the list of them.
    OfInterface(usize, InterfaceFact),
    /// It is the same in every system.
    Text(&'static [u8]),
    /// The regulator of background jobs shows it, and reads what is written to it.
    Regulation(Setting),
    /// Likewise, the reclaimer of the reader's board.
    Reclaiming(Setting),
}

const DEVICES: &[u8] =
    b"Character devices:\n  1 mem\n  4 tty\n  5 /dev/tty\n  5 /dev/console\n  5 /dev/ptmx\n136 pts\n\nBlock devices:\n179 mmc\n";
const VM_STATISTICS: &[u8] = b"nr_free_pages 0\npgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 0\npgmajfault 0\n";
/// So that listings know the terminal's name.
const TTY_DRIVERS: &[u8] = b"/dev/tty             /dev/tty        5       0 system:/dev/tty\n\
      /dev/console         /dev/console    5       1 system:console\n\
      /dev/ptmx            /dev/ptmx       5       2 system\n\
      pty_slave            /dev/pts      136 0-255 pty:slave\n\
      pty_master           /dev/ptm      128 0-255 pty:master\n";
const VERSION: &[u8] = b"Linux version 6.1.0-renga (renga@renga) (rustc) #1 Renga\n";
/// The mount table, as every program sees it.
const MOUNTS: &[u8] = b"/dev/mmcblk0p1 / ext2 rw,relatime 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n";

files! {
    /// `/proc`.
    Top "" in Top, DIRECTORY;
    Program "" in Top, DIRECTORY;
    /// The reader.
    Own "self" in Top, LINK;
    /// The same, whichever thread reads.
    OwnThread "thread-self" in Top, LINK;
    Uptime "uptime" in Top, FILE;
    LoadAverage "loadavg" in Top, FILE;
    Stat "stat" in Top, FILE;
    MemoryInfo "meminfo" in Top, FILE;
    ProcessorInfo "cpuinfo" in Top, FILE;
    Mounts "mounts" in Top, LINK;
    KnownSystems "filesystems" in Top, FILE, Text(b"nodev\tproc\n\text2\n");
    Version "version" in Top, FILE, Text(VERSION);
    CommandLine "cmdline" in Top, FILE, Text(b"root=/dev/mmcblk0p1 rw\n");
    Devices "devices" in Top, FILE, Text(DEVICES);
    Swaps "swaps" in Top, FILE, Text(b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n");
    Partitions "partitions" in Top, FILE;
    VmStat "vmstat" in Top, FILE, Text(VM_STATISTICS);
    Tty "tty" in Top, DIRECTORY;
    TtyDrivers "drivers" in Tty, FILE, Text(TTY_DRIVERS);
    Sys "sys" in Top, DIRECTORY;
    SysKernel "kernel" in Sys, DIRECTORY;
    OsType "ostype" in SysKernel, FILE, Text(b"Linux\n");
    OsRelease "osrelease" in SysKernel, FILE, Text(b"6.1.0-renga\n");
    OsVersion "version" in SysKernel, FILE, Text(b"#1 Renga\n");
    HostName "hostname" in SysKernel, FILE;
    PidMax "pid_max" in SysKernel, FILE, Text(b"131072\n");
    DomainName "domainname" in SysKernel, FILE, Text(b"(none)\n");
    GroupsMax "ngroups_max" in SysKernel, FILE, Text(b"65536\n");
    LastCapability "cap_last_cap" in SysKernel, FILE, Text(b"40\n");
    SysFs "fs" in Sys, DIRECTORY;
    OpenMax "nr_open" in SysFs, FILE, Text(b"1024\n");
    PipeMax "pipe-max-size" in SysFs, FILE, Text(b"65536\n");
    SysVm "vm" in Sys, DIRECTORY;
    /// Frames are given when pages are touched.
    Overcommit "overcommit_memory" in SysVm, FILE, Text(b"1\n");
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
    ProgramMounts "mounts" in Program, FILE, Text(MOUNTS);
    Descriptors "fd" in Program, PRIVATE_DIRECTORY;
    Background "background" in Renga, DIRECTORY;
    Jobs "jobs" in Background, WRITABLE, Regulation(Setting::Jobs);
    RegulationPolicy "policy" in Background, WRITABLE, Regulation(Setting::Mode);
    Thresholds "thresholds" in Background, WRITABLE, Regulation(Setting::Thresholds);
    Ignored "ignored" in Background, WRITABLE, Regulation(Setting::Ignored);
    RegulationState "state" in Background, FILE, Regulation(Setting::State);
    RegulationTotals "totals" in Background, FILE, Regulation(Setting::Totals);
    IoSpeed "iospeed" in Renga, DIRECTORY;
    Paces "programs" in IoSpeed, WRITABLE;
    Start "start" in Renga, WRITABLE;
    StartCard "card" in Renga, SECRET;
    Reclaim "reclaim" in Renga, DIRECTORY;
    Batching "batching" in Reclaim, WRITABLE, Reclaiming(Setting::Mode);
    ReclaimThresholds "thresholds" in Reclaim, WRITABLE, Reclaiming(Setting::Thresholds);
    ReclaimState "state" in Reclaim, FILE, Reclaiming(Setting::State);
    /// The disk's partition.
    Disk "" in Top, BLOCK_DEVICE;
    Descriptor "" in Descriptors, PRIVATE_LINK;
    Counter "counter" in Renga, WRITABLE;
    Mark "mark" in Renga, MARK, Text(b"");
    /// What `/dev/pts` leads to.
    Terminals "pts" in Renga, DIRECTORY;
    /// The slave of a pseudo-terminal.
    Terminal "" in Terminals, CHARACTER_DEVICE;
    Tasks "task" in Program, DIRECTORY;
    /// A thread, by its own number: the first one has that of the program.
    Task "" in Tasks, DIRECTORY;
    TaskStat "stat" in Task, FILE;
    TaskStatus "status" in Task, FILE;
    TaskComm "comm" in Task, FILE;
    /// What `/sys/class/net` leads to.
    Interfaces "interfaces" in Renga, DIRECTORY;
    Loopback "lo" in Interfaces, DIRECTORY;
    LoopbackAddress "address" in Loopback, FILE, OfInterface(0, InterfaceFact::Address);
    LoopbackAddressBytes "addr_len" in Loopback, FILE, OfInterface(0, InterfaceFact::AddressBytes);
    LoopbackCarrier "carrier" in Loopback, FILE, OfInterface(0, InterfaceFact::Carrier);
    LoopbackFlags "flags" in Loopback, FILE, OfInterface(0, InterfaceFact::Flags);
    LoopbackIndex "ifindex" in Loopback, FILE, OfInterface(0, InterfaceFact::Index);
    LoopbackMtu "mtu" in Loopback, FILE, OfInterface(0, InterfaceFact::Mtu);
    LoopbackState "operstate" in Loopback, FILE, OfInterface(0, InterfaceFact::State);
    LoopbackQueuePackets "tx_queue_len" in Loopback, FILE, OfInterface(0, InterfaceFact::QueuePackets);
    LoopbackHardware "type" in Loopback, FILE, OfInterface(0, InterfaceFact::Hardware);
    Wire "eth0" in Interfaces, DIRECTORY;
    WireAddress "address" in Wire, FILE, OfInterface(1, InterfaceFact::Address);
    WireAddressBytes "addr_len" in Wire, FILE, OfInterface(1, InterfaceFact::AddressBytes);
    WireCarrier "carrier" in Wire, FILE, OfInterface(1, InterfaceFact::Carrier);
    WireFlags "flags" in Wire, FILE, OfInterface(1, InterfaceFact::Flags);
    WireIndex "ifindex" in Wire, FILE, OfInterface(1, InterfaceFact::Index);
    WireMtu "mtu" in Wire, FILE, OfInterface(1, InterfaceFact::Mtu);
    WireState "operstate" in Wire, FILE, OfInterface(1, InterfaceFact::State);
    WireQueuePackets "tx_queue_len" in Wire, FILE, OfInterface(1, InterfaceFact::QueuePackets);
    WireHardware "type" in Wire, FILE, OfInterface(1, InterfaceFact::Hardware);
    Net "net" in Top, DIRECTORY;
    Addresses6 "if_inet6" in Net, FILE;
}

/// What a number stands for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ProcPlace {
    /// The program, if it is one's.
    pub(crate) pid: u32,
    pub(crate) file: ProcFile,
    /// Which descriptor or terminal, if it is one.
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
            let (pid, descriptor) = (pid_of(number), descriptor as u16);
            let file = if pid == 0 { ProcFile::Terminal } else { ProcFile::Descriptor };
            return Some(ProcPlace { pid, file, descriptor });
        }
        if number == DISK {
            return Some(ProcPlace::new(0, ProcFile::Disk));
        }
        let numbered = |entry: &&FileEntry| matches!(entry.file, ProcFile::Disk | ProcFile::Terminal);
        let entry = FILES.get(file_of(number) as usize).filter(|entry| !numbered(entry))?;
        let place = ProcPlace::new(pid_of(number), entry.file);
        (entry.file.is_of_program() == (place.pid != 0)).then_some(place)
    }

    pub(crate) fn number(self) -> u32 {
        match self.file {
            ProcFile::Descriptor => synthetic_number(self.pid, DESCRIPTORS + u32::from(self.descriptor)),
            ProcFile::Terminal => pair_node(self.descriptor.into()),
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
        matches!(self, ProcFile::Program | ProcFile::Descriptor | ProcFile::Task)
            || self.is_of_thread()
            || self.entry().within == ProcFile::Program
    }

    /// It is in the folder of one thread.
    pub(crate) fn is_of_thread(self) -> bool {
        self.entry().within == ProcFile::Task
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
                descriptor: if matches!(entry.file, ProcFile::Descriptor | ProcFile::Terminal) { 255 } else { 0 },
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
