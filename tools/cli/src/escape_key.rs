//! The key of a session that leads to `renga`'s own commands.

use std::fmt;
use std::str::FromStr;

/// A control key, as Ctrl-], or none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EscapeKey(pub Option<u8>);

impl EscapeKey {
    /// Ctrl-].
    pub const USUAL: EscapeKey = EscapeKey(Some(0x1d));
}

impl FromStr for EscapeKey {
    type Err = String;

    fn from_str(text: &str) -> Result<EscapeKey, String> {
        if text == "none" {
            return Ok(EscapeKey(None));
        }
        let lower = text.to_ascii_lowercase();
        let key = lower.strip_prefix("ctrl-").or(lower.strip_prefix('^')).map(str::as_bytes);
        match key {
            // Enter and what keys of arrows begin with are no escape.
            Some(b"m" | b"j" | b"[") => Err(format!("`{text}` is a key that shells need: say another one")),
            Some(&[key @ (b'a'..=b'z' | b'\\' | b']' | b'^' | b'_')]) => Ok(EscapeKey(Some(key & 0x1f))),
            _ => Err("say a control key, as Ctrl-] or ^A, or none".to_string()),
        }
    }
}

impl fmt::Display for EscapeKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            Some(key) => write!(f, "Ctrl-{}", char::from(key | 0x40)),
            None => write!(f, "none"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_key_text_is_parsed_or_refused() {
        for (text, key) in [("Ctrl-]", Some(0x1d)), ("ctrl-a", Some(1)), ("^A", Some(1)), ("none", None)] {
            assert_eq!(text.parse(), Ok(EscapeKey(key)), "{text}");
        }
        assert_eq!(EscapeKey::USUAL.to_string().parse(), Ok(EscapeKey::USUAL));
        assert_eq!(EscapeKey(None).to_string(), "none");
        for text in ["", "a", "Ctrl-", "Ctrl-m", "^J", "^[", "Ctrl-ab", "^1"] {
            assert!(text.parse::<EscapeKey>().is_err(), "{text}");
        }
    }
}
