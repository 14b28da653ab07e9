//! An output of a run whose first error is reported at the run's end, as of a file on a full disk: the boards go on
//! until their disk is clean.
//!
//! Invariant: the first error is kept. A closed pipe is no error, since its reader has what it wanted.

use anyhow::{Context, Result};
use std::io::{self, ErrorKind, Write};

/// An output, and what went wrong with it.
pub struct DeferredErrorOutput<W> {
    to: W,
    failed: Option<io::Error>,
}

impl<W: Write> DeferredErrorOutput<W> {
    /// Nothing went wrong yet.
    pub fn new(to: W) -> DeferredErrorOutput<W> {
        DeferredErrorOutput { to, failed: None }
    }

    /// Writes all of it at once, if that is possible.
    pub fn put(&mut self, bytes: &[u8]) {
        if let Err(error) = self.to.write_all(bytes).and_then(|()| self.to.flush())
            && error.kind() != ErrorKind::BrokenPipe
        {
            self.failed.get_or_insert(error);
        }
    }

    /// Whether all of `what` was written.
    ///
    /// # Errors
    /// What went wrong first.
    pub fn finish(&mut self, what: &str) -> Result<()> {
        let failed = self.failed.take().map_or(Ok(()), Err);
        failed.with_context(|| format!("{what} is not whole; free space where it goes, and run again"))
    }
}

#[cfg(test)]
mod tests {
    use super::DeferredErrorOutput;
    use std::io::{self, ErrorKind, Write};

    /// It has room for so many bytes.
    struct Small(usize, ErrorKind);

    impl Write for Small {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            let room = self.0.min(bytes.len());
            self.0 -= room;
            if room == 0 { Err(self.1.into()) } else { Ok(room) }
        }
        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn deferred_error_output_full_file_is_reported_and_closed_pipe_is_not() {
        let outcome = |kind| {
            let mut out = DeferredErrorOutput::new(Small(3, kind));
            out.put(b"ab");
            assert!(out.finish("it").is_ok());
            out.put(b"cd");
            out.finish("it")
        };
        assert!(outcome(ErrorKind::BrokenPipe).is_ok());
        let error = format!("{:#}", outcome(ErrorKind::StorageFull).unwrap_err());
        assert!(error.contains("it is not whole") && error.contains("no storage space"), "{error}");
    }
}
