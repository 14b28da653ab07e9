//! Settings as text: a word, or lines of a name and a number, as `cat` shows and `echo` writes them.
//!
//! Invariant: what a file shows of a setting can be written and means the same; a text that is not understood as a
//! whole changes nothing.

use crate::machine::{ReclaimMachine, ReclaimWork, WorkCounts};
use crate::settings::ReclaimSettings;
use core::fmt::Write;
use heapless::String;
use renga_proto::memory::MemoryFacts;
use renga_proto::settings::{Setting, SettingWords, TEXT_BYTES_MAX, name_of};

pub(crate) type SettingText = String<TEXT_BYTES_MAX>;

const SWITCH: [(&str, bool); 2] = [("off", false), ("on", true)];
const NS_PER_US: u64 = 1_000;

pub(crate) fn format_setting(
    setting: Setting,
    settings: &ReclaimSettings,
    machine: &ReclaimMachine,
    memory: MemoryFacts,
) -> SettingText {
    let mut text = SettingText::new();
    // All there can be has room, so that writing does not fail.
    let _ = match setting {
        Setting::Mode => writeln!(text, "{}", name_of(&SWITCH, settings.batching)),
        Setting::Thresholds => settings.thresholds.show(&mut text),
        Setting::State => show_state(machine, memory, &mut text),
        Setting::Ignored | Setting::Jobs | Setting::Totals => Ok(()),
    };
    text
}

/// Frames, and what either has done: times that it began, steps, pages, microseconds.
fn show_state(machine: &ReclaimMachine, memory: MemoryFacts, text: &mut SettingText) -> core::fmt::Result {
    writeln!(text, "pages free low high")?;
    writeln!(text, "{} {} {} {}", memory.total, memory.free, memory.low_mark(), memory.high_mark())?;
    writeln!(text, "by begun steps pages us")?;
    for (name, work) in [("reclaimer", ReclaimWork::Ordinary), ("batcher", ReclaimWork::Batch)] {
        let WorkCounts { begun, steps, pages, ns } = machine.counts(work);
        writeln!(text, "{name} {begun} {steps} {pages} {}", ns / NS_PER_US)?;
    }
    Ok(())
}

/// The settings with what `text` says of `setting`; `None`: it says nothing that is allowed.
pub(crate) fn changed(setting: Setting, settings: &ReclaimSettings, text: &[u8]) -> Option<ReclaimSettings> {
    let (mut new, mut words) = (settings.clone(), SettingWords::of(text)?);
    match setting {
        Setting::Mode => new.batching = words.choice(&SWITCH)?,
        Setting::Thresholds => new.thresholds = settings.thresholds.changed(&mut words)?,
        Setting::State | Setting::Ignored | Setting::Jobs | Setting::Totals => return None,
    }
    words.end(new)
}

#[cfg(test)]
mod tests;
