//! Waiting costs nothing.

use crate::support::{Renga, clusters_can_run};
use std::time::Duration;

/// An hour of virtual time is to take seconds.
const HOUR_LIMIT: Duration = Duration::from_secs(60);

#[test]
fn idle_hour_takes_host_seconds() {
    if !clusters_can_run() {
        return;
    }
    let ended = Renga::script("sleep 3600; echo awake").with(["--stats"]).end().expect_status(0).expect_text("awake\n");
    assert!(ended.virtual_s() >= 3600.0, "{}", ended.report());
    let host_s: f64 = ended.figure("host time").trim_end_matches(" s").parse().expect("a number");
    assert!(host_s < HOUR_LIMIT.as_secs_f64(), "{}", ended.report());
}
