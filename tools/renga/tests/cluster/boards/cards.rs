//! Card images boot: kernel, device tree and command line from the FAT partition, the card itself in the slot. The
//! firmware is not run: the emulator does its part.

use crate::support::{Renga, Scratch, clusters_can_run};

/// Holds: one-kernel.
#[test]
fn cards_of_pi_3_and_pi_4_boot() {
    if !clusters_can_run() {
        return;
    }
    let scratch = Scratch::new("cards");
    let folder = scratch.join("cards");
    let made = Renga::command(&["image", "--board", "a=pi3,b=pi4", "--name", "lab"])
        .with(["--out".as_ref(), folder.as_os_str()]);
    made.end().expect_status(0);
    let card = folder.join("lab-b-pi4.img");
    let inspected = Renga::command(&["image", "--inspect"]).with([&card]).end().expect_status(0);
    assert!(inspected.text().contains("board b (1, a pi4) of cluster lab\n"), "{}", inspected.report());
    let json = Renga::command(&["image", "--json", "--inspect"]).with([&card]).end().expect_status(0).text();
    renga_schema::expect_valid("image", &json);
    assert!(json.contains("\"cluster\": \"lab\"") && json.contains("\"sound\": true"), "{json}");
    let trace = scratch.join("trace");
    let (put, extracted) = (scratch.join("put"), scratch.join("extracted"));
    std::fs::create_dir_all(put.join("below")).expect("it is ours");
    std::fs::write(put.join("below/x y"), "from the host\n").expect("it is ours");
    let script = "uname -n; remote -b b uname -n; ls /bin/busybox; cat /host/put/below/x*; echo to it > /host/made";
    let run = Renga::script(script).with(["--cards".as_ref(), folder.as_os_str()]);
    let run = run.with(["--put".as_ref(), put.as_os_str(), "--extract".as_ref(), extracted.as_os_str()]);
    let traced = run.with(["--trace".as_ref(), trace.as_os_str()]);
    traced.end().expect_status(0).expect_text("a\nb\n/bin/busybox\nfrom the host\n");
    let made = std::fs::read_to_string(extracted.join("host/made")).expect("it was extracted");
    assert_eq!(made, "to it\n", "the card in the slot is a copy, which ends with the run");
    let summary = Renga::command(&["trace"]).with([trace]).end().expect_status(0);
    assert!(summary.text().contains("b: user -> a: "), "{}", summary.report());
}
