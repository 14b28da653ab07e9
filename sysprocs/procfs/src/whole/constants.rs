//! Files whose content is the same in every system.

use crate::tree::File;
use crate::window::Window;
use renga_rt::Errno;

/// Puts the content of `file`.
pub(crate) fn put(file: File, out: &mut Window<'_>) -> Result<(), Errno> {
    let text: &[u8] = match file {
        File::KnownSystems => b"nodev\tproc\n\text2\n",
        File::Version => b"Linux version 6.1.0-renga (renga@renga) (rustc) #1 Renga\n",
        File::CommandLine => b"root=/dev/mmcblk0p1 rw\n",
        File::Devices => {
            b"Character devices:\n  1 mem\n  4 tty\n  5 /dev/tty\n  5 /dev/console\n\nBlock devices:\n179 mmc\n"
        }
        File::VmStat => b"nr_free_pages 0\npgpgin 0\npgpgout 0\npswpin 0\npswpout 0\npgfault 0\npgmajfault 0\n",
        // So that listings know the terminal's name.
        File::TtyDrivers => {
            b"/dev/tty             /dev/tty        5       0 system:/dev/tty\n\
              /dev/console         /dev/console    5       1 system:console\n"
        }
        File::Swaps => b"Filename\t\t\t\tType\t\tSize\t\tUsed\t\tPriority\n",
        File::DomainName => b"(none)\n",
        File::GroupsMax => b"65536\n",
        File::LastCapability => b"40\n",
        File::OpenMax => b"1024\n",
        File::PipeMax => b"65536\n",
        // Frames are given when pages are touched.
        File::Overcommit => b"1\n",
        File::OsType => b"Linux\n",
        File::OsRelease => b"6.1.0-renga\n",
        File::OsVersion => b"#1 Renga\n",
        File::PidMax => b"131072\n",
        _ => return Err(Errno::EIO),
    };
    out.push(text);
    Ok(())
}

/// The mount table, as every program sees it.
pub(crate) const MOUNTS: &[u8] =
    b"/dev/mmcblk0p1 / ext2 rw,relatime 0 0\nproc /proc proc rw,nosuid,nodev,noexec,relatime 0 0\n";
