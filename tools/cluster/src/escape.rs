//! The console's escape: Ctrl-] and a line are for `renga` itself, everything else is for the cluster.
//!
//! Invariant: what comes out does not depend on how what is typed is cut into pieces.
//!
//! Not here: reading (`terminal`), carrying orders out (`session`).

use crate::disturbance::board;
use crate::observation::ObservationOrder;
use anyhow::{Result, bail};
use renga_cli::EscapeKey;
use renga_emu::PowerChange;

/// What a person is asked with.
const PROMPT: &str = "\r\nrenga> ";
/// Longer lines are cut.
const LINE_BYTES_MAX: usize = 240;

/// What follows from what is typed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Typed {
    /// These are for the cluster.
    Keys(Vec<u8>),
    /// This line is for `renga`.
    Line(String),
}

/// The reader of what is typed.
#[derive(Debug)]
pub struct EscapeReader {
    key: EscapeKey,
    line: Option<Vec<u8>>,
}

impl EscapeReader {
    /// After `key` comes a line.
    pub fn new(key: EscapeKey) -> EscapeReader {
        EscapeReader { key, line: None }
    }

    /// Takes `bytes`; returns the orders in them, and the echo for the terminal.
    pub fn feed(&mut self, bytes: &[u8]) -> (Vec<Typed>, String) {
        let (mut typed, mut echo, mut keys) = (Vec::new(), String::new(), Vec::new());
        for &byte in bytes {
            let Some(line) = &mut self.line else {
                if self.key.0 == Some(byte) {
                    self.line = Some(Vec::new());
                    echo.push_str(PROMPT);
                } else {
                    keys.push(byte);
                }
                continue;
            };
            match byte {
                _ if self.key.0 == Some(byte) && line.is_empty() => {
                    keys.push(byte);
                    self.line = None;
                }
                b'\r' | b'\n' => {
                    let line = String::from_utf8_lossy(line).trim().to_owned();
                    if !keys.is_empty() {
                        typed.push(Typed::Keys(std::mem::take(&mut keys)));
                    }
                    typed.push(Typed::Line(line));
                    echo.push_str("\r\n");
                    self.line = None;
                }
                // ^C, ^D, ^U and Esc call it off.
                3 | 4 | 21 | 27 => {
                    echo.push_str("\r\n");
                    self.line = None;
                }
                8 | 127 if line.pop().is_some() => echo.push_str("\x08 \x08"),
                b' '..=b'~' if line.len() < LINE_BYTES_MAX => {
                    line.push(byte);
                    echo.push(char::from(byte));
                }
                _ => {}
            }
        }
        if !keys.is_empty() {
            typed.push(Typed::Keys(keys));
        }
        (typed, echo)
    }
}

/// What a line asks for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum EscapeOrder {
    /// Do this to that board.
    Power(u8, PowerChange),
    /// Report the state of the boards.
    Status,
    /// Say what happens.
    Observe(ObservationOrder),
    /// End the session.
    Quit,
    /// List the orders.
    Help,
    /// Nothing.
    None,
}

/// What can be asked for behind `key`.
pub fn help(key: EscapeKey) -> String {
    format!(
        "quit            leave: the boards lose their power, and with it what is not synced
kill BOARD      cut its power
hang BOARD      stop its processor
restart BOARD   start it; if it runs or hangs, reset it
status          how the boards are
top             what cores, link, disk, programs and system processes did since the last top
trace on FILE   write what happens from now on, for `renga view FILE`
trace off       end that
help            this
An empty line returns; {key} twice sends {key} to the cluster"
    )
}

impl EscapeOrder {
    /// Reads a line; boards have these names.
    ///
    /// # Errors
    /// If it asks for nothing that there is.
    pub fn parse(line: &str, names: &[&str]) -> Result<EscapeOrder> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Ok(match words[..] {
            [] => EscapeOrder::None,
            ["status"] => EscapeOrder::Status,
            ["top"] => EscapeOrder::Observe(ObservationOrder::Top),
            ["trace", "on", file] => EscapeOrder::Observe(ObservationOrder::TraceOn(file.into())),
            ["trace", "off"] => EscapeOrder::Observe(ObservationOrder::TraceOff),
            ["help" | "?"] => EscapeOrder::Help,
            ["quit" | "exit"] => EscapeOrder::Quit,
            ["kill" | "cut", name] => EscapeOrder::Power(board(names, name)?, PowerChange::Cut),
            ["hang", name] => EscapeOrder::Power(board(names, name)?, PowerChange::Hang),
            ["restart", name] => EscapeOrder::Power(board(names, name)?, PowerChange::Start),
            _ => bail!(
                "`{line}` is not known: kill, hang or restart with a board, status, top, trace on FILE, trace off, quit, help"
            ),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_input_in_chunks_gives_same_keys_and_lines() {
        let input = b"ls\r\x1d kilk\x7fl b\rpwd\r\x1d\x1d!\x1dx\x03y";
        let expected =
            [Typed::Keys(b"ls\r".to_vec()), Typed::Line("kill b".to_owned()), Typed::Keys(b"pwd\r\x1d!y".to_vec())];
        for step in 1..=input.len() {
            let mut escape = EscapeReader::new(EscapeKey::USUAL);
            let mut all: Vec<Typed> = Vec::new();
            for typed in input.chunks(step).flat_map(|chunk| escape.feed(chunk).0) {
                match (all.last_mut(), typed) {
                    (Some(Typed::Keys(keys)), Typed::Keys(more)) => keys.extend(more),
                    (_, typed) => all.push(typed),
                }
            }
            assert_eq!(all, expected, "in pieces of {step}");
        }
    }

    #[test]
    fn escape_typed_line_is_echoed() {
        let (typed, echo) = EscapeReader::new(EscapeKey::USUAL).feed(b"\x1dhelpp\x08\r");
        assert_eq!((typed, echo.as_str()), (vec![Typed::Line("help".to_owned())], "\r\nrenga> helpp\x08 \x08\r\n"));
    }

    #[test]
    fn escape_other_key_or_none_leaves_usual_key_to_cluster() {
        let keys = |key, bytes: &[u8]| EscapeReader::new(EscapeKey(key)).feed(bytes).0;
        assert_eq!(keys(None, b"\x1dquit\r"), [Typed::Keys(b"\x1dquit\r".to_vec())]);
        assert_eq!(keys(Some(1), b"\x1d\x01quit\r"), [Typed::Keys(vec![0x1d]), Typed::Line("quit".to_owned())]);
    }

    #[test]
    fn order_lines_are_parsed_or_refused() {
        let parse = |line| EscapeOrder::parse(line, &["a", "b"]);
        assert_eq!(parse("kill b").unwrap(), EscapeOrder::Power(1, PowerChange::Cut));
        assert_eq!(parse(" restart  a ").unwrap(), EscapeOrder::Power(0, PowerChange::Start));
        assert_eq!(parse("quit").unwrap(), EscapeOrder::Quit);
        assert!(help(EscapeKey(Some(1))).contains("Ctrl-A twice"));
        assert_eq!((parse("").unwrap(), parse("status").unwrap()), (EscapeOrder::None, EscapeOrder::Status));
        let observe = |line| match parse(line).unwrap() {
            EscapeOrder::Observe(order) => order,
            other => panic!("{other:?}"),
        };
        assert_eq!(observe("trace on a.trace"), ObservationOrder::TraceOn("a.trace".into()));
        assert_eq!([observe("top"), observe("trace off")], [ObservationOrder::Top, ObservationOrder::TraceOff]);
        assert!(parse("trace on").is_err() && parse("trace on a b").is_err());
        assert!(parse("kill c").unwrap_err().to_string().contains("no board `c`"));
        assert!(parse("kill").unwrap_err().to_string().contains("not known"));
    }
}
