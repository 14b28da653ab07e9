//! Settings as text: a word, lines of a name and a number, or names, as `cat` shows and `echo` writes them.
//!
//! Invariant: what is shown can be written and means the same.

use crate::machine::{Orders, Samples};
use crate::settings::{Bounds, Policy, Settings, Threshold};
use crate::totals::Totals;
use core::fmt::Write;
use heapless::String;
use renga_proto::pairs::pairs;
use renga_proto::regulation::{RESOURCES, Setting, TEXT_BYTES_MAX};

pub(crate) type Text = String<TEXT_BYTES_MAX>;

/// What there is to be shown.
pub(crate) struct Known<'a> {
    pub(crate) settings: &'a Settings,
    pub(crate) samples: &'a Samples,
    pub(crate) orders: &'a Orders,
    pub(crate) totals: &'a Totals,
}

/// What `setting` shows; nothing of jobs, which the boards know.
pub(crate) fn shown(setting: Setting, known: &Known<'_>) -> Text {
    let Known { settings, samples, orders, totals } = known;
    let mut text = Text::new();
    // All there can be has room, so that writing does not fail.
    let _ = match setting {
        Setting::Jobs => Ok(()),
        Setting::Policy => show_policy(settings.policy, &mut text),
        Setting::Thresholds => show_thresholds(settings, &mut text),
        Setting::Ignored => settings.ignored().iter().try_for_each(|name| show_name(name, &mut text)),
        Setting::State => show_state(samples, orders, &mut text),
        Setting::Totals => totals.show(&mut text),
    };
    text
}

fn show_policy(policy: Policy, text: &mut Text) -> core::fmt::Result {
    let named = Policy::NAMED.iter().find(|(_, named)| *named == policy);
    writeln!(text, "{}", named.map_or("", |(name, _)| name))
}

fn show_thresholds(settings: &Settings, text: &mut Text) -> core::fmt::Result {
    Threshold::ALL.iter().try_for_each(|bounds| writeln!(text, "{} {}", bounds.name, settings.get(bounds.threshold)))
}

fn show_name(name: &[u8], text: &mut Text) -> core::fmt::Result {
    name.iter().take_while(|&&byte| byte != 0).try_for_each(|&byte| text.write_char(char::from(byte)))?;
    text.write_char('\n')
}

/// A line for each board: how idle it was, jobs' shares of what was used, jobs, who of them is held, of which resources users are.
fn show_state(samples: &Samples, orders: &Orders, text: &mut Text) -> core::fmt::Result {
    writeln!(text, "board idle cpu disk link jobs held holds")?;
    for (board, (sample, orders)) in samples.iter().zip(orders).enumerate() {
        let Some(sample) = sample else { continue };
        write!(text, "{}", char::from(b'a' + board as u8))?;
        show_percent(sample.idle_ns, sample.elapsed_ns, text)?;
        for resource in 0..RESOURCES {
            let [foreground, background] = [sample.foreground[resource], sample.background[resource]];
            show_percent(background, foreground.saturating_add(background), text)?;
        }
        write!(text, " {} {} ", sample.jobs, sample.held)?;
        let names = ["cpu", "disk", "link"];
        let mut held = names.iter().enumerate().filter(|(resource, _)| orders >> resource & 1 != 0);
        match held.next() {
            None => text.write_char('-')?,
            Some((_, first)) => text.write_str(first)?,
        }
        held.try_for_each(|(_, name)| write!(text, ",{name}"))?;
        text.write_char('\n')?;
    }
    Ok(())
}

fn show_percent(part: u64, whole: u64, text: &mut Text) -> core::fmt::Result {
    match (u128::from(part) * 100).checked_div(whole.into()) {
        Some(percent) => write!(text, " {percent}"),
        None => write!(text, " -"),
    }
}

/// The settings with what `text` says of `setting`; `None`: it says nothing that is allowed.
pub(crate) fn changed(setting: Setting, settings: &Settings, text: &[u8]) -> Option<Settings> {
    let mut new = settings.clone();
    let text = core::str::from_utf8(text).ok().filter(|text| text.len() <= TEXT_BYTES_MAX)?;
    let mut words = text.split_ascii_whitespace();
    match setting {
        Setting::Policy => {
            let word = words.next()?;
            new.policy = Policy::NAMED.iter().find(|(name, _)| *name == word)?.1;
        }
        Setting::Thresholds => {
            pairs(text, |name, value| {
                let Bounds { threshold, .. } = Threshold::ALL.iter().find(|bounds| bounds.name == name)?;
                new.set(*threshold, value).then_some(())
            })?;
            return Some(new);
        }
        Setting::Ignored => {
            new.clear_ignored();
            words.by_ref().try_for_each(|name| new.ignore(name.as_bytes()).then_some(()))?;
        }
        Setting::Jobs | Setting::State | Setting::Totals => return None,
    }
    words.next().is_none().then_some(new)
}

#[cfg(test)]
mod tests;
