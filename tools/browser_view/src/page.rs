//! The page: its text, style and code, with the data of one or two runs.
//!
//! Invariant: it names no address outside itself, and its policy lets a browser load nothing.

use crate::comparison::RunComparison;
use crate::packing::PackedRun;
use serde::Serialize;

const FRAME: &str = include_str!("../page/page.html");
const STYLE: &str = include_str!("../page/style.css");
/// The code, in the order of its parts.
const CODE: [&str; 10] = [
    include_str!("../page/columns.js"),
    include_str!("../page/run.js"),
    include_str!("../page/waits.js"),
    include_str!("../page/tracks.js"),
    include_str!("../page/path_overlay.js"),
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
    let code = CODE.concat();
    let columns: String = data.runs.iter().enumerate().map(|(run, packed)| elements(run, packed.data())).collect();
    let mut text = String::with_capacity(columns.len() + json.len() + FRAME.len() + STYLE.len() + code.len());
    let mut rest = FRAME;
    let fillings = [("/*STYLE*/", STYLE), ("/*DATA*/", &json), ("/*COLUMNS*/", &columns), ("/*CODE*/", &code)];
    for (place, filling) in fillings {
        if let Some((before, behind)) = rest.split_once(place) {
            text += before;
            text += filling;
            rest = behind;
        }
    }
    Ok(text + rest)
}

/// The elements with the columns of a run.
fn elements(run: usize, data: [&str; 2]) -> String {
    let element = |(part, data): (usize, &str)| {
        format!("<script type=\"text/plain\" id=\"columns-{run}-{part}\">{data}</script>\n")
    };
    data.into_iter().enumerate().map(element).collect()
}
