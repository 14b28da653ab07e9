//! Which kernels wait for a build.

use renga_images::artifacts::{KernelFlavour, kernel};
use renga_workspace::environment::Environment;
use renga_workspace::lock::Lock;
use renga_workspace::progress::ProgressLine;
use std::fs;
use std::path::Path;
use std::sync::mpsc::channel;
use std::thread;
use std::time::Duration;

/// Long enough for a lookup of some files on any host.
const LIMIT: Duration = Duration::from_secs(60);

/// Lays out a project whose kernel has been built from its only source.
fn build(root: &Path, work: &Path) {
    let folder = work.join("kernels/plain");
    fs::create_dir_all(&folder).unwrap();
    let source = root.join("main.rs");
    fs::write(&source, "").unwrap();
    fs::File::open(&source).unwrap().set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
    fs::write(folder.join("begun"), "").unwrap();
    fs::write(folder.join("kernel8.img"), "").unwrap();
    fs::write(folder.join("sources"), format!("{}\n{}", root.display(), source.display())).unwrap();
}

#[test]
fn kernel_that_is_built_waits_for_no_other_build() {
    let root = Path::new(env!("CARGO_TARGET_TMPDIR")).canonicalize().unwrap().join("built-kernel");
    fs::create_dir_all(&root).unwrap();
    let environment = Environment::of(root.clone());
    build(&root, &environment.work());
    let lock = Lock::exclusive(&environment.work().join("kernels/lock"), &mut |_| {}).unwrap();
    let (done, result) = channel();
    thread::spawn(move || done.send(kernel(&environment, KernelFlavour::Plain, &ProgressLine::start()).is_ok()));
    assert_eq!(result.recv_timeout(LIMIT), Ok(true));
    drop(lock);
}
