//! Cuts the power: what was synced before must be there after `e2fsck`.
#![allow(missing_docs)]

mod rig;
use renga_proto::file::SyncFile;
use renga_proto::path::{OPEN_CREATE, OPEN_TRUNCATE, OPEN_WRITE};
use rig::{Counts, Medium512, O_WRONLY, Scratch, System, make_image, sum};
use std::cell::RefCell;
use std::rc::Rc;

/// A file synced when so many writes had reached the medium, until it is changed again.
#[derive(Clone)]
struct Synced {
    name: String,
    sum: u64,
    from: u64,
    to: u64,
}

#[test]
fn synced_files_survive_a_cut() {
    let scratch = Scratch::new("cut");
    let device = Medium512::default();
    let made = make_image(&scratch, 16, None, &[]);
    *device.bytes.borrow_mut() = made.clone();
    let system = System::new(&device, "none", Counts { buffers: 16, inodes: 10, paths: 1, files: 4 });
    system.board.run();
    *device.log.borrow_mut() = Some(vec![]);
    device.writes.set(0);
    let start = device.bytes.borrow().clone();
    let synced = Rc::new(RefCell::new(Vec::<Synced>::new()));
    let (kept, writes) = (synced.clone(), device.writes.clone());
    system.run(move |mut user| async move {
        for round in 0..150u32 {
            let (directory, name) = (format!("/d{}", round % 5), format!("/d{}/f{}", round % 5, round % 17));
            let _ = user.mkdir(&directory).await;
            let other = format!("/d{}/f{}", (round + 2) % 5, (round * 7) % 17);
            for gone in [&other, &name] {
                kept.borrow_mut().iter_mut().filter(|s| s.name == *gone).for_each(|s| s.to = s.to.min(writes.get()));
            }
            let _ = user.unlink(&other).await;
            let data = vec![round as u8; 3000 + (round as usize * 977) % 90_000];
            let flags = OPEN_CREATE | OPEN_TRUNCATE | OPEN_WRITE;
            let file = user.open(&name, flags, O_WRONLY).await.unwrap();
            user.write_all(file, &data).await.unwrap();
            if round % 3 == 0 {
                user.file(file).call(SyncFile {}, ()).await.unwrap();
                kept.borrow_mut().push(Synced { name, sum: sum(&data), from: writes.get(), to: u64::MAX });
            }
            user.close(file).await.unwrap();
        }
    });
    let log = device.log.borrow_mut().take().unwrap();
    let mut refused = 0;
    let step = log.len() / 40;
    for cut in (0..log.len()).step_by(step) {
        let mut bytes = start.clone();
        for (sector, data) in &log[..cut] {
            bytes[*sector as usize * 512..][..data.len()].copy_from_slice(data);
        }
        let image = scratch.0.join("cut.img");
        std::fs::write(&image, &bytes).unwrap();
        let output = rig::tool("e2fsck").arg("-p").arg(&image).output().unwrap();
        if output.status.code().unwrap() & 4 != 0 {
            refused += 1;
            eprintln!("cut {cut}: {}", String::from_utf8_lossy(&output.stdout));
            rig::tool("e2fsck").arg("-y").arg(&image).output().unwrap();
        }
        let out = scratch.dir(&format!("cut{cut}"));
        rig::dump(&image, &out);
        for file in synced.borrow().iter().filter(|s| s.from <= cut as u64 && (cut as u64) < s.to) {
            let path = format!("{}{}", out.display(), file.name);
            let there = std::fs::read(&path).map(|bytes| sum(&bytes));
            assert!(there.is_ok_and(|there| there == file.sum), "{} lost by cut {cut}", file.name);
        }
        std::fs::remove_dir_all(out).unwrap();
    }
    eprintln!("{refused} of 40 cuts needed more than e2fsck -p; {} writes", log.len());
}
