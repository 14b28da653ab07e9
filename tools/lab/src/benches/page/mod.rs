//! Results as a page: one HTML file that needs no other, and the same as Markdown with pictures beside it.
//!
//! Invariant: all figures come from results; what is said around them is said by the rows. Both forms print the same
//! parts in the same order.
//!
//! No `maud`: the same parts are HTML and Markdown, and one function escapes text.

mod evaluation;
mod html;
mod markdown;
mod parts;
#[cfg(test)]
mod tests;

use super::result::RowResult;
use anyhow::Result;
pub(crate) use html::{STYLE, escaped};

/// The page as one HTML file, beside sources of the revision `now`.
///
/// # Errors
/// If plotting fails.
pub fn html(results: &[RowResult], now: Option<&str>) -> Result<String> {
    Ok(html::print(&evaluation::parts(results, now)?))
}

/// The same as Markdown, and its pictures: names and contents.
///
/// # Errors
/// If plotting fails.
pub fn markdown(results: &[RowResult], now: Option<&str>) -> Result<(String, Vec<(String, String)>)> {
    Ok(markdown::print(evaluation::parts(results, now)?))
}
