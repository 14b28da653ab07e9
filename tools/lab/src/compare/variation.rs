//! What varies in a comparison: keys with values, and all combinations of these.
//!
//! Invariant: every key and value of a [`VariedKey`] is known, so that no run fails for a misspelt one.

use anyhow::{Context, Result, ensure};
use renga_cli::ProfileArgs;
use renga_profile::{Profile, ProfileChoice, ProfileSetting};
use serde::{Deserialize, Serialize};

/// The mode of calls between boards that return nothing.
pub(super) const MODE: &str = "mode";
/// The form of calls between boards that return data.
pub(super) const MESSAGES: &str = "messages";
/// Keys that are lines of a system file, and their values.
pub(super) const LINES: [(&str, [&str; 2]); 2] = [(MODE, ["sync", "async"]), (MESSAGES, ["two-way", "paired"])];
/// The system: a name or a file.
pub(super) const SYSTEM: &str = "system";
/// The seed.
pub(super) const SEED: &str = "seed";
/// The machine: a name or a file.
pub(super) const PROFILE: &str = "profile";
/// Keys that are no parameters of the machine.
const OTHERS: [&str; 5] = [MODE, MESSAGES, SYSTEM, SEED, PROFILE];

/// A key and its values.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct VariedKey {
    /// The key.
    pub(super) key: String,
    /// Its values, in the order in which they were given.
    pub(super) values: Vec<String>,
}

/// A value for each key, in their order.
pub(super) type Combination = Vec<(String, String)>;

impl VariedKey {
    /// Reads `KEY=VALUE,VALUE...`.
    ///
    /// # Errors
    /// If the key or a value is unknown.
    pub(super) fn of(text: &str) -> Result<VariedKey> {
        let (key, values) = text.split_once('=').with_context(|| format!("--vary {text}: write KEY=VALUE,VALUE"))?;
        let values: Vec<String> = values.split(',').map(|value| value.trim().to_string()).collect();
        ensure!(values.iter().all(|value| !value.is_empty()), "--vary {text}: a value is missing");
        let twice = values.iter().enumerate().find(|(at, value)| values[..*at].contains(value));
        ensure!(twice.is_none(), "--vary {text}: a value stands there twice");
        let varied = VariedKey { key: key.to_string(), values };
        varied.values.iter().try_for_each(|value| varied.check(value)).with_context(|| format!("--vary {text}"))?;
        Ok(varied)
    }

    fn check(&self, value: &str) -> Result<()> {
        if let Some((key, values)) = LINES.iter().find(|(key, _)| *key == self.key) {
            ensure!(values.contains(&value), "{key} is {}, not {value}", values.join(" or "));
            return Ok(());
        }
        match self.key.as_str() {
            SYSTEM => Ok(()),
            PROFILE => value.parse::<ProfileChoice>().map(|_| ()).map_err(Into::into),
            SEED => value.parse::<u64>().map(|_| ()).with_context(|| format!("{value} is no number")),
            key => ProfileSetting::new(key, value)
                .map(|_| ())
                .with_context(|| format!("beside parameters, {} may vary", OTHERS.join(", "))),
        }
    }

    /// The values as numbers, if all are.
    pub(super) fn numbers(&self) -> Option<Vec<f64>> {
        self.values.iter().map(|value| value.parse().ok()).collect()
    }
}

/// All combinations: the last key varies fastest.
pub(super) fn combinations(keys: &[VariedKey]) -> Vec<Combination> {
    keys.iter().fold(vec![Vec::new()], |all, varied| {
        let with = |one: &Combination, value: &String| [&one[..], &[(varied.key.clone(), value.clone())]].concat();
        all.iter().flat_map(|one| varied.values.iter().map(move |value| with(one, value))).collect()
    })
}

/// The value of `key` in a combination.
pub(super) fn value_of<'c>(combination: &'c Combination, key: &str) -> Option<&'c str> {
    combination.iter().find(|(name, _)| name == key).map(|(_, value)| value.as_str())
}

/// The machine of a combination, which is `base` where nothing else is said.
///
/// # Errors
/// If a value is out of its range.
pub(super) fn machine(base: &ProfileArgs, combination: &Combination) -> Result<Profile> {
    let choice = value_of(combination, PROFILE).map(str::parse::<ProfileChoice>).transpose()?;
    let parameters = combination.iter().filter(|(key, _)| !OTHERS.contains(&key.as_str()));
    let varied = parameters.map(|(key, value)| ProfileSetting::new(key, value)).collect::<Result<Vec<_>, _>>()?;
    let choice = choice.unwrap_or_else(|| base.profile.clone());
    Ok(choice.profile.with(&[&base.set[..], &varied].concat()))
}

/// The text of a system file with another value of a key of `[system]`.
pub(super) fn with_line(text: &str, key: &str, value: &str) -> String {
    let line = format!("{key} = \"{value}\"");
    let is_meant = |found: &str| found.split('=').next().is_some_and(|found| found.trim() == key);
    let has_line = text.lines().any(is_meant);
    let lines = text.lines().flat_map(|found| match found {
        found if is_meant(found) => vec![line.clone()],
        "[system]" if !has_line => vec![found.to_string(), line.clone()],
        found => vec![found.to_string()],
    });
    lines.map(|line| line + "\n").collect()
}

#[cfg(test)]
mod tests {
    use super::{VariedKey, combinations, machine, value_of, with_line};
    use renga_cli::ProfileArgs;

    #[test]
    fn variation_combinations_are_all_in_order() {
        let keys = ["mode=sync,async", "link.rate_mbit_s=1,4,18"].map(|text| VariedKey::of(text).unwrap());
        let all = combinations(&keys);
        let rates: Vec<_> = all.iter().map(|one| value_of(one, "link.rate_mbit_s").unwrap()).collect();
        assert_eq!(rates, ["1", "4", "18", "1", "4", "18"]);
        assert_eq!((value_of(&all[2], "mode"), value_of(&all[3], "mode")), (Some("sync"), Some("async")));
        assert_eq!(combinations(&[]).len(), 1, "without anything that varies there is one run");
        assert_eq!((keys[0].numbers(), keys[1].numbers()), (None, Some(vec![1.0, 4.0, 18.0])));
    }

    #[test]
    fn variation_of_unknown_key_or_value_is_refused() {
        for text in [
            "mode",
            "mode=fast",
            "messages=one-way",
            "seed=x",
            "speed=3",
            "profile=pi9",
            "link.rate_mbit_s=0",
            "mode=sync,",
            "seed=1,1",
        ] {
            assert!(VariedKey::of(text).is_err(), "{text}");
        }
    }

    #[test]
    fn variation_of_parameter_overrides_set_and_profile() {
        let base = ProfileArgs { set: vec!["link.rate_mbit_s=4".parse().unwrap()], ..ProfileArgs::default() };
        let of = |text: &str| machine(&base, &combinations(&[VariedKey::of(text).unwrap()])[0]).unwrap();
        assert_eq!(of("link.rate_mbit_s=8").link_rate_bps, 8_000_000);
        assert_eq!((of("medium=none").link_rate_bps, of("medium=none").medium), (4_000_000, "none"));
        let old = of("profile=paper-1989");
        assert_eq!((old.instruction_ns, old.link_rate_bps), (1024, 4_000_000));
    }

    #[test]
    fn variation_of_system_changes_one_line_or_adds_it() {
        let changed = "[system]\nname = \"x\"\nmode = \"async\"\n";
        assert_eq!(with_line("[system]\nname = \"x\"\nmode = \"sync\"  # as it was\n", "mode", "async"), changed);
        let added = "[system]\nmessages = \"paired\"\nname = \"x\"\n";
        assert_eq!(with_line("[system]\nname = \"x\"\n", "messages", "paired"), added);
    }
}
