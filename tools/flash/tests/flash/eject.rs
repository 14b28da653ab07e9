//! Which cards are given up when all is written: those in readers on USB, by the host's own program.

use crate::composed_host::{CARD_SECTORS, ComposedHost};
use renga_flash::eject;
use std::fs;
use std::os::unix::fs::PermissionsExt;

#[test]
fn eject_usb_reader_releases_card() {
    let host = ComposedHost::with_card();
    host.mmc("mmcblk0", "179:0", "SD");
    host.disk("sda", "8:0", "pci0000:00/0000:00:17.0/ata1/host0/target0:0:0/0:0:0:0", CARD_SECTORS, false);
    let said = std::env::temp_dir().join(format!("renga-eject-{}", std::process::id()));
    let program = said.with_extension("sh");
    fs::write(&program, format!("#!/bin/sh\necho \"$@\" >> {}\n", said.display())).expect("a temporary folder");
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).expect("it is ours");
    let program = program.to_str().expect("a plain name");
    assert_eq!(["sdb", "mmcblk0", "sda"].map(|name| eject(&host.device(name), program)), [true, false, false]);
    assert_eq!(fs::read_to_string(&said).expect("it was called"), "/dev/sdb\n");
    assert!(!eject(&host.device("sdb"), "false") && !eject(&host.device("sdb"), "/no/such/program"));
    let _ = (fs::remove_file(&said), fs::remove_file(program));
}
