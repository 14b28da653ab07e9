//! Idle path lookup workers take operations: a long walk delays no other while one is idle.

use crate::support::{Counts, Medium512, Scratch, System, USUAL, make_image};
use renga_proto::inode::STAT_BYTES;
use renga_proto::path::StatusOf;
use std::cell::RefCell;
use std::rc::Rc;

const ROOT: u32 = 2;
/// Enough for several blocks, each of which is searched.
const NAMES: u32 = 400;

#[test]
fn lookup_worker_blocked_on_disk_blocks_no_other() {
    let (scratch, device) = (Scratch::new("lookup_workers"), Medium512::default());
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let counts = Counts { paths: 2, ..USUAL };
    let system = System::new(&device, "none", counts);
    system.run(|mut user| async move {
        user.mkdir("/many").await.unwrap();
        user.write_file("/many/name-0", b"x").await.unwrap();
        for name in 1..NAMES {
            user.link("/many/name-0", &format!("/many/name-{name}")).await.unwrap();
        }
    });
    system.unmount();
    let system = System::new(&device, "sd", counts);
    // What all ask for is known from now on.
    system.run(|mut user| async move { user.stat("/", 0).await.map(drop).unwrap() });
    let order = Rc::new(RefCell::new(Vec::new()));
    let last = format!("/many/name-{}", NAMES - 1);
    let ended: Vec<_> = (0..6)
        .map(|number| {
            let (order, path) = (order.clone(), if number == 0 { last.clone() } else { "/".into() });
            system.client(move |mut user| async move {
                let mut out = [0; STAT_BYTES];
                let status = StatusOf { at: ROOT.into(), flags: 0 };
                user.path.call(status, (path.as_bytes(), &mut out[..])).await.unwrap();
                order.borrow_mut().push(number);
            })
        })
        .collect();
    system.board.run_through_alarms();
    assert!(ended.iter().all(|ended| ended.get()));
    assert_eq!(*order.borrow(), [1, 2, 3, 4, 5, 0], "in this order they were answered");
}
