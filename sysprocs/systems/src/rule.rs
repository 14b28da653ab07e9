//! A rule that tables keep, and its check.

/// A rule, as a sentence.
pub type RuleText = &'static str;

pub(crate) fn require(kept: bool, rule: RuleText) -> Result<(), RuleText> {
    if kept { Ok(()) } else { Err(rule) }
}
