//! Settings as text: a word, or lines of a name and a number, as `cat` shows and `echo` writes them.
//!
//! Invariant: what is shown of a setting can be written and means the same; a text that is not understood as a whole changes
//! nothing.

use crate::machine::{Counts, Machine, Work};
use crate::settings::{Settings, Threshold};
use core::fmt::Write;
use heapless::String;
use renga_proto::memory::MemoryFacts;
use renga_proto::pairs::pairs;
use renga_proto::reclaiming::{Setting, TEXT_BYTES_MAX};

pub(crate) type Text = String<TEXT_BYTES_MAX>;

const SWITCH: [(&str, bool); 2] = [("off", false), ("on", true)];
const NS_PER_US: u64 = 1_000;

/// What `setting` shows.
pub(crate) fn shown(setting: Setting, settings: &Settings, machine: &Machine, memory: MemoryFacts) -> Text {
    let mut text = Text::new();
    // All there can be has room, so that writing does not fail.
    let _ = match setting {
        Setting::Batching => writeln!(text, "{}", SWITCH[usize::from(settings.batching)].0),
        Setting::Thresholds => Threshold::NAMED
            .iter()
            .try_for_each(|(name, threshold)| writeln!(text, "{name} {}", settings.get(*threshold))),
        Setting::State => show_state(machine, memory, &mut text),
    };
    text
}

/// Frames, and what either has done: times that it began, steps, pages, microseconds.
fn show_state(machine: &Machine, memory: MemoryFacts, text: &mut Text) -> core::fmt::Result {
    writeln!(text, "pages free low high")?;
    writeln!(text, "{} {} {} {}", memory.total, memory.free, memory.low_mark(), memory.high_mark())?;
    writeln!(text, "by begun steps pages us")?;
    for (name, work) in [("reclaimer", Work::Ordinary), ("batcher", Work::Batch)] {
        let Counts { begun, steps, pages, ns } = machine.counts(work);
        writeln!(text, "{name} {begun} {steps} {pages} {}", ns / NS_PER_US)?;
    }
    Ok(())
}

/// The settings with what `text` says of `setting`; `None`: it says nothing that is allowed.
pub(crate) fn changed(setting: Setting, settings: &Settings, text: &[u8]) -> Option<Settings> {
    let mut new = settings.clone();
    let text = core::str::from_utf8(text).ok().filter(|text| text.len() <= TEXT_BYTES_MAX)?;
    match setting {
        Setting::Batching => {
            let word = text.trim_ascii();
            new.batching = SWITCH.iter().find(|(name, _)| *name == word)?.1;
        }
        Setting::Thresholds => pairs(text, |name, value| {
            let (_, threshold) = Threshold::NAMED.iter().find(|(named, _)| *named == name)?;
            new.set(*threshold, value).then_some(())
        })?,
        Setting::State => return None,
    }
    Some(new)
}

#[cfg(test)]
mod tests;
