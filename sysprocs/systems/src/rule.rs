//! A rule that tables keep, and its check.

/// A rule, as a sentence.
pub type Rule = &'static str;

pub(crate) fn require(kept: bool, rule: Rule) -> Result<(), Rule> {
    if kept { Ok(()) } else { Err(rule) }
}
