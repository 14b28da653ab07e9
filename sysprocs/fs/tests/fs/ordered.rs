//! data are on the medium before a commit refers to it: after a cut no file shows what is not its own. And writes that
//! wait for a commit to make room are done one after the other.

use crate::support::{Counts, Medium512, O_APPEND, O_WRONLY, Random, Scratch, System, check_image, make_image};
use renga_proto::file::{Write, WriteTo};
use renga_proto::path::{OPEN_CREATE, OPEN_WRITE};
use renga_rt::Errno;
use std::cell::Cell;
use std::rc::Rc;

const COUNTS: Counts = Counts { buffers: 40, inodes: 24, paths: 4, files: 16, frames: 1024 };
/// What blocks are full of that were another file's.
const FOREIGN: u8 = 0xee;
/// Files that are written, and pages of each.
const FILES: u8 = 6;
const PAGES: usize = 24;
const WRITERS: u8 = 2;

/// A medium whose free blocks are full of what was in a file.
fn used(scratch: &Scratch) -> Medium512 {
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(scratch, 16, None, &[]);
    let system = System::new(&device, "none", COUNTS);
    system.run(|mut user| async move {
        let file = user.open("/old", OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
        while user.file(file).call(Write {}, &[FOREIGN; 4096][..]).await != Err(Errno::ENOSPC) {}
        user.close(file).await.unwrap();
        user.unlink("/old").await.unwrap();
    });
    system.unmount();
    device
}

/// Holds: commit-atomic.
#[test]
fn power_cut_no_file_has_foreign_data() {
    let scratch = Scratch::new("ordered");
    let device = used(&scratch);
    let made = device.bytes.borrow().clone();
    let found = Rc::new(Cell::new(0));
    for number in 0..24 {
        *device.bytes.borrow_mut() = made.clone();
        device.cut_after(number * 3, Random::new(number));
        let system = System::new(&device, "sd", COUNTS);
        let done = Rc::new(Cell::new(0));
        for writer in 0..WRITERS {
            let done = done.clone();
            system.client(move |mut user| async move {
                for file in (0..FILES).filter(|file| file % WRITERS == writer) {
                    let name = format!("/f{file}");
                    let Ok(open) = user.open(&name, OPEN_CREATE | OPEN_WRITE, O_WRONLY | O_APPEND).await else { break };
                    for _ in 0..PAGES {
                        if user.file(open).call(Write {}, &[file; 4096][..]).await.is_err() {
                            break;
                        }
                        user.pause(100_000).await;
                    }
                    let _ = user.close(open).await;
                }
                done.set(done.get() + 1);
            });
        }
        system.client(move |mut user| async move {
            while done.get() < WRITERS {
                let _ = user.sync().await;
                user.pause(10_000).await;
            }
        });
        system.board.run_through_alarms();
        device.restore();
        let after = System::new(&device, "none", COUNTS);
        let found = found.clone();
        after.run(move |mut user| async move {
            for file in 0..FILES {
                let Ok(read) = user.read_file(&format!("/f{file}")).await else { continue };
                let page = read.iter().position(|byte| *byte != file).map(|at| (at / 4096, read[at]));
                assert_eq!(page, None, "cut {number}: /f{file} of {} bytes has what is not its own", read.len());
                found.set(found.get() + read.len() / 4096);
            }
        });
        after.unmount();
        check_image(&scratch, &device.bytes.borrow(), "-fn");
    }
    assert!(found.get() > 24, "{} pages were there after all cuts", found.get());
}

#[test]
fn writes_waiting_for_room_keep_order() {
    let scratch = Scratch::new("room");
    let device = Medium512::default();
    *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
    let system = System::new(&device, "sd", COUNTS);
    system.run(|mut user| async move {
        user.write_file("/old", &[1; 400_000]).await.unwrap();
        user.write_file("/file", b"").await.unwrap();
        let full = user.open("/full", OPEN_CREATE | OPEN_WRITE, O_WRONLY).await.unwrap();
        while user.file(full).call(Write {}, &[3; 4096][..]).await.is_ok() {}
        user.close(full).await.unwrap();
        user.sync().await.unwrap();
        user.unlink("/old").await.unwrap();
    });
    let written = Rc::new(Cell::new(0));
    for number in 0..4u8 {
        let written = written.clone();
        system.client(move |mut user| async move {
            let file = user.open("/file", OPEN_WRITE, O_WRONLY).await.unwrap();
            let offset = u64::from(number) * 8192;
            let done = user.file(file).call(WriteTo { offset }, &[b'0' + number; 4096][..]).await;
            assert_eq!(done, Ok(4096), "writer {number}");
            user.close(file).await.unwrap();
            written.set(written.get() + 1);
        });
    }
    system.board.run_through_alarms();
    assert_eq!(written.get(), 4);
    system.run(|mut user| async move {
        let read = user.read_file("/file").await.unwrap();
        for (number, page) in read.chunks(4096).enumerate() {
            let expected = if number % 2 == 0 { b'0' + number as u8 / 2 } else { 0 };
            assert!(page.iter().all(|byte| *byte == expected), "page {number}");
        }
    });
    system.unmount();
    check_image(&scratch, &device.bytes.borrow(), "-fn");
}
