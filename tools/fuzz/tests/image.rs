//! The image that the targets of files start from is sound.

use std::process::Command;

#[test]
fn fuzz_image_is_clean_for_e2fsck() {
    let path = std::env::temp_dir().join(format!("renga-fuzz-image-{}", std::process::id()));
    std::fs::write(&path, renga_fuzz::fs::image::make()).unwrap();
    let places = format!("{}:/sbin:/usr/sbin", std::env::var("PATH").unwrap_or_default());
    let output = Command::new("e2fsck").env("PATH", places).arg("-fn").arg(&path).output();
    std::fs::remove_file(&path).unwrap();
    let output = output.expect("e2fsck (package e2fsprogs)");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
}
