//! Mounting after a cut: what it costs, and that each block comes from the journal once.

use crate::support::{Medium512, Scratch, System, USUAL, check_image, make_image};
use std::cell::Cell;
use std::rc::Rc;

/// Commits that the journal has when the power goes.
const TRANSACTIONS: u8 = 96;
/// Blocks that these commits change, all of them more than once: superblock, group, two bitmaps, the root, tables.
const CHANGED_BLOCKS: u64 = 12;
const MOUNT_NS: u64 = 150_000_000;

/// What each of the files contains.
fn content(number: u8) -> Vec<u8> {
    vec![number; 3000]
}

/// An image whose journal has `TRANSACTIONS` when the power goes.
fn cut_image(scratch: &Scratch) -> Medium512 {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(scratch, 16, None, &[]);
    System::new(&device, "none", USUAL).run(|mut user| async move {
        for number in 0..TRANSACTIONS {
            user.write_file(&format!("/file{number}"), &content(number)).await.unwrap();
            user.sync().await.unwrap();
        }
    });
    device
}

#[test]
fn recovery_of_96_transactions_writes_each_block_once() {
    let scratch = Scratch::new("recovery");
    let device = cut_image(&scratch);
    let before = device.writes.get();
    let mounted_ns = Rc::new(Cell::new(0));
    let (at_ns, system) = (mounted_ns.clone(), System::new(&device, "sd", USUAL));
    system.run(|mut user| async move {
        let begin_ns = user.me.now_ns();
        user.stat("/file0", 0).await.unwrap();
        at_ns.set(user.me.now_ns() - begin_ns);
        for number in 0..TRANSACTIONS {
            assert_eq!(user.read_file(&format!("/file{number}")).await, Ok(content(number)));
        }
    });
    let writes = device.writes.get() - before;
    eprintln!("mounted in {} us, {writes} writes", mounted_ns.get() / 1000);
    assert!(mounted_ns.get() <= MOUNT_NS, "{} us", mounted_ns.get() / 1000);
    assert!(writes <= CHANGED_BLOCKS, "{writes} writes");
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}
