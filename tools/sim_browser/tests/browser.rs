//! The simulator in WebAssembly, in node and in Chromium, against the native one: `renga test --long=wasm`.
//!
//! Building the module takes a minute, so these tests are ignored otherwise.

use renga_sim::seed;
use renga_sim::system::image;
use renga_sim_browser::builder::{build_module, disk_bytes, write_page};
use renga_sim_browser::programs::programs;
use renga_sim_browser::{PageSession, SessionSetup, run_seed, system_text};
use renga_workspace::environment::Environment;
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

const SEEDS: u64 = 100;
/// Seeds of one page: each takes memory that the browser frees late.
const SEEDS_OF_PAGE: u64 = 10;
const DISK_MEBIBYTES: u32 = 12;
/// A cluster with work, lost frames, a death and a return.
const ADDRESS: &str = "#seed=7&boards=3&medium=sd&do=300000000~faults%2040%2020%2010;300000000~type%20pipe%20b%20%26;\
    310000000~type%20write%20c%20%26;340000000~kill%201;700000000~boot%201;900000000~type%20fork%20b&at=3000000000";
const ACTIONS: [(u64, &str); 6] = [
    (300_000_000, "faults 40 20 10"),
    (300_000_000, "type pipe b &"),
    (310_000_000, "type write c &"),
    (340_000_000, "kill 1"),
    (700_000_000, "boot 1"),
    (900_000_000, "type fork b"),
];
const END_NS: u64 = 3_000_000_000;
const INDEX: &str = "index.html";
/// The page with a script at its end that uses the controls.
const DRIVEN: &str = "driven.html";
/// Bound of one run of node or Chromium, in the form of `timeout`.
const TIMEOUT: &str = "1200";

/// A folder of these tests.
fn work() -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("browser");
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The module, built once.
fn module() -> &'static Path {
    static MODULE: OnceLock<PathBuf> = OnceLock::new();
    MODULE.get_or_init(|| build_module(&Environment::read().unwrap(), &ProgressLine::start()).unwrap())
}

/// Whether all programs are here; says so if not.
fn possible(program: &str) -> bool {
    let there = Command::new(program).arg("--version").output().is_ok_and(|output| output.status.success());
    let reason = if there { "no mke2fs, e2fsck, debugfs here (package e2fsprogs)" } else { program };
    if !there || !image::tools_present() {
        renga_skip::skipped(&format!("lacking: {reason}"));
        return false;
    }
    true
}

/// What a program writes that ends well, on standard output and on standard error.
fn said(command: &mut Command) -> (String, String) {
    let Output { status, stdout, stderr } = command.output().unwrap();
    let errors = String::from_utf8_lossy(&stderr).into_owned();
    assert!(status.success(), "{command:?}: {status}\n{errors}");
    (String::from_utf8(stdout).unwrap(), errors)
}

fn bounded(program: &str) -> Command {
    let mut command = Command::new("timeout");
    command.args([TIMEOUT, program]);
    command
}

fn native_seeds(first: u64, count: u64) -> Vec<String> {
    let fresh = seed::fresh_disk().unwrap();
    (first..first + count).map(|seed| serde_json::to_string(&run_seed(seed, &fresh)).unwrap()).collect()
}

/// The hash and the number of events of the cluster of [`ADDRESS`].
fn native_cluster() -> (String, u64) {
    let disk = image::make(DISK_MEBIBYTES, &programs().files()).unwrap();
    let setup = SessionSetup { system: system_text(3).unwrap(), seed: 7, medium: "sd".into() };
    let mut session = PageSession::boot(&setup, &disk).unwrap();
    for (at_ns, action) in ACTIONS {
        assert!(session.run(at_ns, u64::MAX));
        session.act(&action.parse().unwrap()).unwrap();
    }
    assert!(session.run(END_NS, u64::MAX));
    let state = session.state();
    assert!(session.console().contains("20 of 20 ended well"), "{}", session.console());
    (state.hash, state.events)
}

/// Holds: sim-browser.
#[test]
#[ignore = "builds std and the simulator for WebAssembly"]
fn browser_seeds_in_node_are_the_native_ones() {
    if !possible("node") {
        return;
    }
    let disk = work().join("seeds.img");
    fs::write(&disk, disk_bytes(&seed::fresh_disk().unwrap())).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/seeds.js");
    let (seeds, _) = said(bounded("node").arg(script).arg(module()).arg(disk).args(["1", &SEEDS.to_string()]));
    assert_eq!(seeds.lines().collect::<Vec<_>>(), native_seeds(1, SEEDS));
}

#[test]
#[ignore = "builds std and the simulator for WebAssembly"]
fn browser_cluster_in_node_is_the_native_one() {
    if !possible("node") {
        return;
    }
    let disk = work().join("cluster.img");
    fs::write(&disk, disk_bytes(&image::make(DISK_MEBIBYTES, &programs().files()).unwrap())).unwrap();
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cluster.js");
    let (run, speed) = said(bounded("node").arg(script).arg(module()).arg(disk).arg(ADDRESS));
    println!("node: {speed}");
    let (hash, events) = native_cluster();
    assert_eq!(run.trim(), format!("{hash} {events}"));
}

/// Addresses of any text, and seeds that panic.
#[test]
fn page_functions_in_node_do_what_their_test_says() {
    if !possible("node") {
        return;
    }
    let (text, _) = said(bounded("node").arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/page.js")));
    assert_eq!(text.trim(), "ok");
}

/// A folder with a person's files is not the page's; that of an earlier page, or an empty one, is.
#[test]
fn page_folder_with_other_files_is_refused() {
    if !image::tools_present() {
        renga_skip::skipped("lacking: no mke2fs, e2fsck, debugfs here (package e2fsprogs)");
        return;
    }
    let folder = work().join(format!("folder-{}", std::process::id()));
    fs::create_dir_all(&folder).unwrap();
    for (name, text) in [("index.html", "mine"), ("data.js", "const MINE = 1;")] {
        fs::write(folder.join(name), text).unwrap();
        let refused = write_page(&folder, b"module").unwrap_err().to_string();
        assert!(refused.contains("name another folder"), "{refused}");
        assert_eq!(fs::read_to_string(folder.join(name)).unwrap(), text);
        assert!(!folder.join("main.js").exists());
        fs::remove_file(folder.join(name)).unwrap();
    }
    for _ in 0..2 {
        write_page(&folder, b"module").unwrap();
    }
    fs::remove_dir_all(folder).unwrap();
}

/// The first file of the page, written once.
fn page() -> &'static Path {
    static PAGE: OnceLock<PathBuf> = OnceLock::new();
    PAGE.get_or_init(|| write_page(&work().join("page"), &fs::read(module()).unwrap()).unwrap())
}

/// A file of the page, in Chromium, after it has done what the address says.
fn opened(file: &str, address: &str) -> String {
    let first = page();
    static PROFILES: AtomicU32 = AtomicU32::new(0);
    let profile = work().join(format!("profile-{}-{}", std::process::id(), PROFILES.fetch_add(1, Ordering::Relaxed)));
    let mut chromium = bounded("chromium");
    chromium.args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"]);
    chromium.args(["--disable-background-networking", "--disable-component-update", "--disable-sync", "--dump-dom"]);
    chromium.arg(format!("--user-data-dir={}", profile.display()));
    let (dom, _) = said(chromium.arg(format!("file://{}{address}", first.with_file_name(file).display())));
    let _ = fs::remove_dir_all(profile);
    dom
}

/// What the page has in an element or attribute that begins with `from`.
fn between<'t>(page: &'t str, from: &str, to: &str) -> &'t str {
    let found = page.split_once(from).and_then(|(_, rest)| rest.split_once(to));
    found.unwrap_or_else(|| panic!("no {from} in {page}")).0
}

#[test]
#[ignore = "builds std and the simulator for WebAssembly"]
fn browser_seeds_in_chromium_are_the_native_ones() {
    if !possible("chromium") {
        return;
    }
    for first in (1..=SEEDS).step_by(SEEDS_OF_PAGE as usize) {
        let page = opened(INDEX, &format!("#seeds={first}-{}", first + SEEDS_OF_PAGE - 1));
        let seeds = between(&page, "<pre id=\"seeds\">", "</pre>").replace("&amp;", "&").replace("&gt;", ">");
        assert_eq!(seeds.lines().collect::<Vec<_>>(), native_seeds(first, SEEDS_OF_PAGE));
    }
}

#[test]
#[ignore = "builds std and the simulator for WebAssembly"]
fn browser_cluster_in_chromium_is_the_native_one() {
    if !possible("chromium") {
        return;
    }
    let page = opened(INDEX, ADDRESS);
    let data = |name: &str| between(&page, &format!("data-{name}=\""), "\"");
    println!("Chromium: {} events in {} ms", data("events"), data("ms"));
    let (hash, events) = native_cluster();
    assert_eq!((data("hash"), data("events")), (hash.as_str(), events.to_string().as_str()));
}

#[test]
#[ignore = "builds std and the simulator for WebAssembly"]
fn browser_address_after_use_of_controls_repeats_the_run() {
    if !possible("chromium") {
        return;
    }
    let script = format!("<script>{}</script></body>", include_str!("driven.js"));
    let text = fs::read_to_string(page()).unwrap().replace("</body>", &script);
    fs::write(page().with_file_name(DRIVEN), text).unwrap();
    let driven = opened(DRIVEN, "#seed=5&boards=2");
    let data = |name: &str| between(&driven, &format!("data-{name}=\""), "\"").replace("&amp;", "&");
    assert_eq!(data("error"), "");
    let actions = ["pipe%20b", "faults%2050", "kill%201", "boot%201", "type%20help", "%253B%20ls%20~%205%25253B"];
    assert!(actions.iter().all(|action| data("address").contains(action)), "{}", data("address"));
    let again = opened(INDEX, &format!("{}&at={}", data("address"), data("time")));
    assert_eq!(between(&again, "data-hash=\"", "\""), data("driven"));
}
