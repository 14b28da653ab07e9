//! The page: its text, style and code, with the data of one or two runs.
//!
//! Invariant: it names no address outside itself, and its policy lets a browser load nothing.

use crate::comparison::RunComparison;
use crate::packing::PackedRun;
use serde::Serialize;

const FRAME: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/style.css");
/// The code, in the order of its parts.
const CODE: [&str; 9] = [
    include_str!("../page/columns.js"),
    include_str!("../page/run.js"),
    include_str!("../page/waits.js"),
    include_str!("../page/tracks.js"),
    include_str!("../page/timeline.js"),
    include_str!("../page/stage.js"),
    include_str!("../page/detail.js"),
    include_str!("../page/app.js"),
    include_str!("../page/self_test.js"),
];

/// What the page shows.
#[derive(Serialize)]
pub struct PageData {
    /// One run or two.
    pub runs: Vec<PackedRun>,
    /// Of two: how they differ.
    pub comparison: Option<RunComparison>,
}

/// The whole page.
///
/// # Errors
/// If the data cannot be written as JSON.
pub fn page(data: &PageData) -> serde_json::Result<String> {
    // No text of a trace may end the element that it stands in.
    let json = serde_json::to_string(data)?.replace('<', "\\u003c");
    let mut text = String::with_capacity(json.len() + FRAME.len() + STYLE.len() + CODE.concat().len());
    let mut rest = FRAME;
    for (place, filling) in [("/*STYLE*/", STYLE), ("/*DATA*/", &json), ("/*CODE*/", &CODE.concat())] {
        if let Some((before, behind)) = rest.split_once(place) {
            text += before;
            text += filling;
            rest = behind;
        }
    }
    Ok(text + rest)
}
