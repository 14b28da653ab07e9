//! Serial ports, and what they are called.

use std::path::PathBuf;
use std::str::FromStr;

/// `PORT=NAME`, or a port whose name is the last part of its path.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PortName {
    /// Its path.
    pub path: PathBuf,
    /// What it is called here: the board's name.
    pub name: String,
}

impl FromStr for PortName {
    type Err = String;

    fn from_str(text: &str) -> Result<PortName, String> {
        let (path, name) = match text.split_once('=') {
            Some((path, name)) => (path, name),
            None => (text, text.rsplit('/').next().unwrap_or(text)),
        };
        if path.is_empty() || name.is_empty() {
            return Err("say PORT or PORT=NAME, as in /dev/ttyUSB0=a".to_string());
        }
        Ok(PortName { path: PathBuf::from(path), name: name.to_string() })
    }
}
