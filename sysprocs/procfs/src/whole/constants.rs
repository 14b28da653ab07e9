//! Files whose content is the same in every system.

use crate::tree::ProcFile;
use crate::window::TextWindow;
use renga_rt::Errno;

/// Puts the content of `file`.
pub(crate) fn put(file: ProcFile, out: &mut TextWindow<'_>) -> Result<(), Errno> {
    let text: &[u8] = match file {
        ProcFile::KnownSystems => b"nodev\tproc\n\text2\n",
        ProcFile::Version => b"Linux version 6.1.0-renga (renga@renga) (rustc) #1 Renga\n",
        ProcFile::CommandLine => b"root=/dev/mmcblk0p1 rw\n",
        ProcFile::Devices => {
            b"Character devices:\n  1 mem\n  4 tty\n  5 /dev/tty\n  5 /dev/console\n\nBlock devices:\n179 mmc\n"
        }
        ProcFile::VmStat => b"nr_free_pages 0\npgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 0\npgmajfault 0\n",
        // So that listings know the terminal's name.
        ProcFile::TtyDrivers => {
            b"/dev/tty             /dev/tty        5       0 system:/dev/tty\n\
              /dev/console         /dev/console    5       1 system:console\n"
        }
        ProcFile::Swaps => b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n",
        ProcFile::DomainName => b"(none)\n",
        ProcFile::GroupsMax => b"65536\n",
        ProcFile::LastCapability => b"40\n",
        ProcFile::OpenMax => b"1024\n",
        ProcFile::PipeMax => b"65536\n",
        // Frames are given when pages are touched.
        ProcFile::Overcommit => b"1\n",
        ProcFile::OsType => b"Linux\n",
        ProcFile::OsRelease => b"6.1.0-renga\n",
        ProcFile::OsVersion => b"#1 Renga\n",
        ProcFile::PidMax => b"131072\n",
        _ => return Err(Errno::EIO),
    };
    out.push(text);
    Ok(())
}

/// The mount table, as every program sees it.
pub(crate) const MOUNTS: &[u8] =
    b"/dev/mmcblk0p1 / ext2 rw,relatime 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n";
