//! Settings as text: a word, lines of a name and a number, or names, as `cat` shows and `echo` writes them.
//!
//! Invariant: every printed setting can be written back and means the same.

use crate::machine::{Orders, Samples};
use crate::settings::{RegulationPolicy, RegulatorSettings};
use crate::totals::Totals;
use core::fmt::Write;
use heapless::String;
use renga_proto::regulation::RESOURCES;
use renga_proto::settings::{Setting, SettingWords, TEXT_BYTES_MAX, name_of};

pub(crate) type SettingText = String<TEXT_BYTES_MAX>;

/// The printed state.
pub(crate) struct RegulatorView<'a> {
    pub(crate) settings: &'a RegulatorSettings,
    pub(crate) samples: &'a Samples,
    pub(crate) orders: &'a Orders,
    pub(crate) totals: &'a Totals,
}

/// What `setting` shows; nothing of jobs, which the boards know.
pub(crate) fn format_setting(setting: Setting, known: &RegulatorView<'_>) -> SettingText {
    let RegulatorView { settings, samples, orders, totals } = known;
    let mut text = SettingText::new();
    // All there can be has room, so that writing does not fail.
    let _ = match setting {
        Setting::Jobs => Ok(()),
        Setting::Mode => writeln!(text, "{}", name_of(&RegulationPolicy::NAMED, settings.policy)),
        Setting::Thresholds => settings.thresholds.show(&mut text),
        Setting::Ignored => settings.ignored().iter().try_for_each(|name| show_name(name, &mut text)),
        Setting::State => show_state(samples, orders, &mut text),
        Setting::Totals => totals.show(&mut text),
    };
    text
}

fn show_name(name: &[u8], text: &mut SettingText) -> core::fmt::Result {
    name.iter().take_while(|&&byte| byte != 0).try_for_each(|&byte| text.write_char(char::from(byte)))?;
    text.write_char('\n')
}

/// A line for each board: how idle it was, the jobs' shares of each resource, the numbers of jobs and of suspended
/// ones, the resources of these.
fn show_state(samples: &Samples, orders: &Orders, text: &mut SettingText) -> core::fmt::Result {
    writeln!(text, "board idle cpu disk link jobs held holds")?;
    for (board, (sample, orders)) in samples.iter().zip(orders).enumerate() {
        let Some(sample) = sample else { continue };
        write!(text, "{}", char::from(b'a' + board as u8))?;
        show_percent(sample.idle_ns, sample.elapsed_ns, text)?;
        for resource in 0..RESOURCES {
            let [foreground, background] = [sample.foreground[resource], sample.background[resource]];
            show_percent(background, foreground.saturating_add(background), text)?;
        }
        write!(text, " {} {} ", sample.jobs, sample.suspended)?;
        let names = ["cpu", "disk", "link"];
        let mut suspended = names.iter().enumerate().filter(|(resource, _)| orders >> resource & 1 != 0);
        match suspended.next() {
            None => text.write_char('-')?,
            Some((_, first)) => text.write_str(first)?,
        }
        suspended.try_for_each(|(_, name)| write!(text, ",{name}"))?;
        text.write_char('\n')?;
    }
    Ok(())
}

fn show_percent(part: u64, whole: u64, text: &mut SettingText) -> core::fmt::Result {
    match (u128::from(part) * 100).checked_div(whole.into()) {
        Some(percent) => write!(text, " {percent}"),
        None => write!(text, " -"),
    }
}

/// The settings with what `text` says of `setting`; `None`: it says nothing that is allowed.
pub(crate) fn changed(setting: Setting, settings: &RegulatorSettings, text: &[u8]) -> Option<RegulatorSettings> {
    let (mut new, mut words) = (settings.clone(), SettingWords::of(text)?);
    match setting {
        Setting::Mode => new.policy = words.choice(&RegulationPolicy::NAMED)?,
        Setting::Thresholds => new.thresholds = settings.thresholds.changed(&mut words)?,
        Setting::Ignored => {
            new.clear_ignored();
            words.by_ref().try_for_each(|name| new.ignore(name.as_bytes()).then_some(()))?;
        }
        Setting::Jobs | Setting::State | Setting::Totals => return None,
    }
    words.end(new)
}

#[cfg(test)]
mod tests;
