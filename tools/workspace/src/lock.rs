//! Locks between commands that run at once in one checkout.
//!
//! Invariant: while a lock is exclusive, its file says which command has it and since when. Called by: all that builds
//! or fetches into `target/`. Not here: the lock of set-up (`tools/setup/say.sh`), whose file has the same form.

use std::fs::{File, TryLockError};
use std::io::{self, Seek, Write};
use std::path::{Path, PathBuf};
use std::time::{SystemTime, UNIX_EPOCH};

/// A lock; dropping it lets the next command go on.
#[derive(Debug)]
pub struct Lock {
    file: File,
    path: PathBuf,
}

impl Lock {
    /// Waits for the exclusive lock; `waiting` gets a line that names the command that has it.
    ///
    /// # Errors
    /// If the file cannot be made or locked.
    pub fn exclusive(path: &Path, waiting: &mut dyn FnMut(&str)) -> io::Result<Lock> {
        let mut lock = Lock::open(path)?;
        lock.make_exclusive(waiting)?;
        Ok(lock)
    }

    /// Waits for the lock, which others may share.
    ///
    /// # Errors
    /// As [`Lock::exclusive`].
    pub fn shared(path: &Path, waiting: &mut dyn FnMut(&str)) -> io::Result<Lock> {
        let lock = Lock::open(path)?;
        lock.make_shared(waiting)?;
        Ok(lock)
    }

    fn open(path: &Path) -> io::Result<Lock> {
        // Not truncated: the file names the command that has the lock.
        let file = File::options().read(true).write(true).create(true).truncate(false).open(path)?;
        Ok(Lock { file, path: path.to_path_buf() })
    }

    /// Upgrades the lock to the exclusive one; others may take it in between.
    ///
    /// # Errors
    /// As [`Lock::exclusive`].
    pub fn make_exclusive(&mut self, waiting: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.file.unlock()?;
        self.wait(self.file.try_lock(), File::lock, waiting)?;
        self.file.set_len(0)?;
        self.file.rewind()?;
        self.file.write_all(this_command().as_bytes())
    }

    /// Downgrades the lock to a shared one; others may take it in between.
    ///
    /// # Errors
    /// As [`Lock::exclusive`].
    pub fn make_shared(&self, waiting: &mut dyn FnMut(&str)) -> io::Result<()> {
        self.file.unlock()?;
        self.wait(self.file.try_lock_shared(), File::lock_shared, waiting)
    }

    fn wait(
        &self,
        tried: Result<(), TryLockError>,
        lock: fn(&File) -> io::Result<()>,
        waiting: &mut dyn FnMut(&str),
    ) -> io::Result<()> {
        match tried {
            Ok(()) => Ok(()),
            Err(TryLockError::Error(error)) => Err(error),
            Err(TryLockError::WouldBlock) => {
                let owner = std::fs::read_to_string(&self.path).unwrap_or_default();
                waiting(&format!("waiting for another command ({})", owner.trim_end()));
                lock(&self.file)
            }
        }
    }
}

/// As in `pid 7: ./renga run -c true, since 12:00:01 UTC`.
fn this_command() -> String {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    let now_s = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let [hours, minutes, seconds] = [now_s / 3600 % 24, now_s / 60 % 60, now_s % 60];
    let pid = std::process::id();
    format!("pid {pid}: ./renga {}, since {hours:02}:{minutes:02}:{seconds:02} UTC\n", arguments.join(" "))
}

#[cfg(test)]
mod tests {
    use super::Lock;

    #[test]
    fn lock_in_use_names_the_command_that_has_it() {
        let path = std::env::temp_dir().join(format!("renga-lock-{}", std::process::id()));
        let mut lines = Vec::new();
        let first = Lock::exclusive(&path, &mut |line| lines.push(line.to_string())).unwrap();
        assert!(lines.is_empty(), "{lines:?}");
        let (sender, waits) = std::sync::mpsc::channel();
        let second = std::thread::spawn({
            let path = path.clone();
            move || Lock::shared(&path, &mut |line| sender.send(line.to_string()).unwrap()).map(|_| ())
        });
        let line = waits.recv().unwrap();
        let named = format!("waiting for another command (pid {}: ./renga ", std::process::id());
        assert!(line.starts_with(&named) && line.ends_with(" UTC)"), "{line}");
        drop(first);
        second.join().unwrap().unwrap();
        std::fs::remove_file(path).unwrap();
    }
}
