//! Where answers come from: a person at a terminal, the values in brackets, or nowhere.
//!
//! Invariant: a question that nobody answers is named, with its option, before anything is written.

use anyhow::{Result, bail};
use std::fmt::Display;
use std::io::{BufRead, Write};

/// How often a person may give an answer that cannot be used.
const TRIES_MAX: usize = 10;

/// A question.
#[derive(Clone, Copy)]
pub(super) struct ClusterQuestion<'a, T> {
    /// Its words, without the question mark.
    pub text: &'a str,
    /// The option that answers it.
    pub option: &'a str,
    /// What Enter means.
    pub usual: T,
}

/// The source of answers.
pub(super) struct Asker<'a> {
    kind: AskerKind<'a>,
    /// The options of questions that nobody has answered.
    unanswered: Vec<String>,
}

enum AskerKind<'a> {
    Person { input: &'a mut dyn BufRead, output: &'a mut dyn Write },
    ValuesInBrackets,
    Nobody,
}

impl<'a> Asker<'a> {
    /// A person who reads `output` and types `input`.
    pub fn person(input: &'a mut dyn BufRead, output: &'a mut dyn Write) -> Asker<'a> {
        Asker { kind: AskerKind::Person { input, output }, unanswered: Vec::new() }
    }

    /// Takes the usual answers.
    pub fn values_in_brackets() -> Asker<'a> {
        Asker { kind: AskerKind::ValuesInBrackets, unanswered: Vec::new() }
    }

    /// There is nobody to ask.
    pub fn nobody() -> Asker<'a> {
        Asker { kind: AskerKind::Nobody, unanswered: Vec::new() }
    }

    /// The answer: `said`, if an option has said it, as `read` understands it.
    ///
    /// # Errors
    /// If `read` refuses what was said, a person gives no answer that it accepts, or the input ends.
    pub fn answer<T: Display>(
        &mut self,
        said: Option<&str>,
        question: ClusterQuestion<'_, T>,
        read: &dyn Fn(&str) -> Result<T>,
    ) -> Result<T> {
        if let Some(said) = said {
            return read(said);
        }
        match &mut self.kind {
            AskerKind::ValuesInBrackets => read(&question.usual.to_string()),
            AskerKind::Nobody => {
                if !self.unanswered.iter().any(|option| option == question.option) {
                    self.unanswered.push(question.option.to_string());
                }
                Ok(question.usual)
            }
            AskerKind::Person { input, output } => ask(*input, *output, &question, read),
        }
    }

    /// Ends the questions.
    ///
    /// # Errors
    /// If nobody has answered some.
    pub fn finish(self) -> Result<()> {
        if !self.unanswered.is_empty() {
            bail!("there is no terminal to ask on: say {}, or --yes", self.unanswered.join(", "));
        }
        Ok(())
    }
}

/// Asks until the answer can be used.
fn ask<T: Display>(
    input: &mut dyn BufRead,
    output: &mut dyn Write,
    question: &ClusterQuestion<'_, T>,
    read: &dyn Fn(&str) -> Result<T>,
) -> Result<T> {
    for _ in 0..TRIES_MAX {
        write!(output, "{} [{}]? ", question.text, question.usual)?;
        output.flush()?;
        let mut line = String::new();
        if input.read_line(&mut line)? == 0 {
            bail!("the input ended before all questions were answered: nothing was made");
        }
        let usual = question.usual.to_string();
        match read(Some(line.trim()).filter(|typed| !typed.is_empty()).unwrap_or(&usual)) {
            Ok(answer) => return Ok(answer),
            Err(reason) => writeln!(output, "  {reason:#}")?,
        }
    }
    bail!("no usable answer after {TRIES_MAX} tries: {}", question.option);
}
