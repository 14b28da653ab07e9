//! The page of profiles names every parameter, with its range and its value in each shipped profile.

use renga_profile::{Domain, names, parameters, shipped};
use std::fs;

/// Holds: profile-same-output.
#[test]
fn profile_parameters_match_the_document() {
    let document = fs::read_to_string("../../docs/reference/profiles.md").unwrap();
    let cells = |line: &str| line.split('|').map(|cell| cell.trim().replace('`', "")).collect::<Vec<_>>();
    let row = |first: &str| {
        let found = document.lines().map(cells).find(|cells| cells.get(1).is_some_and(|cell| cell == first));
        found.unwrap_or_else(|| panic!("the page has no row `{first}`"))
    };
    let head = row("Parameter");
    assert_eq!(head[3..head.len() - 1], names());
    for parameter in parameters() {
        let values = head[3..head.len() - 1].iter().map(|name| parameter.show(&shipped(name).unwrap()));
        let range = match parameter.domain {
            Domain::Number { .. } => parameter.range().replace("a power of two ", "").replace("from ", ""),
            Domain::Name { .. } => String::new(),
        };
        let wanted: Vec<String> = std::iter::once(range.replace(" to ", "–")).chain(values).collect();
        let cells = row(parameter.key);
        assert_eq!(cells[2..cells.len() - 1], wanted, "{}", parameter.key);
    }
}

/// The boards' bus as benches have measured it so far.
#[test]
fn profile_pi3_link_is_the_measured_bus() {
    let pi3 = renga_profile::usual();
    let bus = renga_emu::BusConfig::with_overheads(pi3.link_rate_bps, pi3.link_arm_ns, pi3.link_token_pass_ns);
    assert_eq!(bus, renga_emu::BusConfig::gpio());
}
