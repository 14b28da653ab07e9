//! Text of which only a part is wanted: what is before that is passed over, what is behind it is not kept.
//!
//! Invariant: what was kept is what the whole text has from `skip` on, as far as there is room.

use core::fmt;

pub(crate) struct TextWindow<'a> {
    out: &'a mut [u8],
    kept: usize,
    /// Bytes still to be passed over.
    skip: u64,
}

impl<'a> TextWindow<'a> {
    /// The part from byte `skip` on, into `out`.
    pub(crate) fn new(out: &'a mut [u8], skip: u64) -> Self {
        TextWindow { out, kept: 0, skip }
    }

    pub(crate) fn push(&mut self, text: &[u8]) {
        let skipped = self.skip.min(text.len() as u64);
        self.skip -= skipped;
        let text = &text[skipped as usize..];
        let bytes = text.len().min(self.out.len() - self.kept);
        self.out[self.kept..self.kept + bytes].copy_from_slice(&text[..bytes]);
        self.kept += bytes;
    }

    /// Appends a name that ends at its first zero byte.
    pub(crate) fn name(&mut self, name: &[u8]) {
        let end = name.iter().position(|&byte| byte == 0).unwrap_or(name.len());
        self.push(&name[..end]);
    }

    /// As [`TextWindow::name`], with line ends and backslashes as Linux's `status` writes them: a name is whatever its
    /// program, or another board, says, and must not begin a line of its own.
    pub(crate) fn name_in_line(&mut self, name: &[u8]) {
        for &byte in name.iter().take_while(|&&byte| byte != 0) {
            match byte {
                b'\n' => self.push(b"\\n"),
                b'\\' => self.push(b"\\\\"),
                byte => self.push(&[byte]),
            }
        }
    }

    /// Ends a line with a name.
    pub(crate) fn end_with_name(&mut self, name: &[u8]) {
        self.name_in_line(name);
        self.push(b"\n");
    }

    /// Whether nothing more is kept.
    pub(crate) fn is_full(&self) -> bool {
        self.kept == self.out.len()
    }

    pub(crate) fn bytes(&self) -> usize {
        self.kept
    }
}

impl fmt::Write for TextWindow<'_> {
    fn write_str(&mut self, text: &str) -> fmt::Result {
        self.push(text.as_bytes());
        Ok(())
    }
}

/// Appends formatted text, which never fails.
macro_rules! put {
    ($window:expr, $($format:tt)+) => {{
        use core::fmt::Write;
        let _ = write!($window, $($format)+);
    }};
}
pub(crate) use put;

#[cfg(test)]
mod tests {
    use super::TextWindow;

    #[test]
    fn text_window_shows_its_part() {
        let whole = "one 22 three 4444\n";
        for skip in 0..whole.len() + 3 {
            for room in 0..whole.len() + 3 {
                let mut out = std::vec![b'?'; room];
                let mut window = TextWindow::new(&mut out, skip as u64);
                put!(window, "one {} ", 22);
                window.push(b"three ");
                window.name(b"4444\0\0x");
                put!(window, "\n");
                let bytes = window.bytes();
                assert_eq!(window.is_full(), bytes == room);
                let wanted = &whole.as_bytes()[skip.min(whole.len())..];
                assert_eq!(&out[..bytes], &wanted[..wanted.len().min(room)], "from {skip}, room {room}");
            }
        }
    }

    #[test]
    fn text_window_name_cannot_begin_a_line() {
        let mut out = [0; 32];
        let mut window = TextWindow::new(&mut out, 0);
        window.name_in_line(b"a 1\nb\\\0x");
        let bytes = window.bytes();
        assert_eq!(&out[..bytes], b"a 1\\nb\\\\");
    }
}
