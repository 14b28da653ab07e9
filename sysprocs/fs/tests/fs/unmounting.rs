//! The file system is unmounted while names change: each change is on the disk whole, or not at all.

use crate::support::{Medium512, Scratch, System, USUAL, check_image, make_image};
use renga_proto::path::Unmount;

/// The unmounts wait for up to so many lookups: each is another moment of the other's work.
const MOMENTS: u32 = 20;
/// More than are made until then.
const DIRECTORIES: u32 = 2000;

#[test]
fn unmount_concurrent_change_is_atomic() {
    let scratch = Scratch::new("unmounting");
    for moment in 0..MOMENTS {
        let device = Medium512::default();
        *device.bytes.borrow_mut() = make_image(&scratch, 16, None, &[]);
        let system = System::new(&device, "sd", USUAL);
        let made = system.client(|mut user| async move {
            for number in 0..DIRECTORIES {
                let path = format!("/d{number}");
                if user.mkdir(&path).await.is_err() || user.rename(&path, &format!("/e{number}")).await.is_err() {
                    return;
                }
            }
            panic!("it was never unmounted");
        });
        let unmounted = system.client(move |mut user| async move {
            for _ in 0..moment {
                user.stat("/", 0).await.map(drop).unwrap();
            }
            user.path.call(Unmount {}, ()).await.unwrap();
        });
        system.board.run_through_alarms();
        assert!(unmounted.get() && made.get(), "moment {moment}");
        check_image(&scratch, &device.bytes.borrow(), "-fn");
    }
}
