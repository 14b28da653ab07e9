//! Who holds the lock of a file, by the kernel's list of locks.

use rustix::fs::{major, minor};
use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;

/// The kernel's list of locks, a line each: number, FLOCK, kind, access, process, device and inode, range.
const LOCKS: &str = "/proc/locks";

/// The process that has locked `file`, and its command line; nothing if the kernel does not say.
pub(crate) fn holder(file: &File) -> Option<String> {
    let facts = file.metadata().ok()?;
    let place = format!("{:02x}:{:02x}:{}", major(facts.dev()), minor(facts.dev()), facts.ino());
    let locks = fs::read_to_string(LOCKS).ok()?;
    let process = locks.lines().find_map(|line| process_with_lock(line, &place))?;
    let command = fs::read(format!("/proc/{process}/cmdline")).ok()?;
    let words: Vec<_> = command.split(|byte| *byte == 0).map(String::from_utf8_lossy).collect();
    Some(format!("pid {process}: {}", words.join(" ").trim_end()))
}

/// The process that has the lock of a line of the list, if it is one of the file at `place`, a device and an inode.
fn process_with_lock(line: &str, place: &str) -> Option<u32> {
    let mut words = line.split_whitespace();
    let (kind, process, found) = (words.nth(1)?, words.nth(2)?, words.next()?);
    let is_its = kind == "FLOCK" && found == place;
    if is_its { process.parse().ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::{holder, process_with_lock};
    use std::fs::File;

    #[test]
    fn lock_holder_is_named_while_it_holds_the_lock() {
        let line = "3: FLOCK  ADVISORY  WRITE 4711 fe:00:1234 0 EOF";
        assert_eq!(process_with_lock(line, "fe:00:1234"), Some(4711));
        assert_eq!(process_with_lock(line, "fe:01:1234"), None);
        assert_eq!(process_with_lock("1: -> POSIX", "fe:00:1234"), None);
        let path = std::env::temp_dir().join(format!("renga-holder-{}", std::process::id()));
        let file = File::create(&path).unwrap();
        assert_eq!(holder(&file), None);
        file.try_lock().unwrap();
        let named = holder(&File::open(&path).unwrap()).unwrap();
        assert!(named.starts_with(&format!("pid {}: ", std::process::id())), "{named}");
        drop(file);
        std::fs::remove_file(path).unwrap();
    }
}
