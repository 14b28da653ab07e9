//! Images built by the host's own tools. The packages come from the mirror once and are kept in `target/`.

use std::fs;
use std::os::unix::fs::{MetadataExt, PermissionsExt, symlink};
use std::path::{Path, PathBuf};

use super::command::run_well;
use super::inspect::debugfs;
use super::{
    FileContent, FsckVerdict, ImageError, ImageSpec, Placed, build, expect_mountable, extract_tree, fsck, prepare,
    read_file,
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").canonicalize().unwrap()
}

/// A folder of a test's own, empty.
fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("renga-disk-image-{}-{name}", std::process::id()));
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

fn spec() -> ImageSpec {
    let mut spec = ImageSpec::new(&root());
    spec.placed.push(Placed {
        dest: "/sbin/init".into(),
        content: FileContent::Bytes(b"program".to_vec()),
        mode: 0o755,
    });
    spec.placed.push(Placed {
        dest: "/root/a b/[x]".into(),
        content: FileContent::Bytes(vec![7; 100_000]),
        mode: 0o4711,
    });
    spec
}

/// What debugfs says about one inode.
fn stat(image: &Path, path: &str) -> String {
    let (said, _) = debugfs(image, &format!("stat \"{path}\"")).unwrap();
    String::from_utf8(said).unwrap()
}

/// Holds: images-repeat.
#[test]
fn disk_image_equal_inputs_give_equal_bytes() {
    let folder = folder("equal");
    let (first, second) = (folder.join("first.img"), folder.join("second.img"));
    build(&spec(), &first, &mut |_| {}).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(1100)); // so that no time of the host can be equal by luck
    build(&spec(), &second, &mut |_| {}).unwrap();
    let (first, second) = (fs::read(first).unwrap(), fs::read(second).unwrap());
    assert!(first == second, "two builds differ");
    assert!(first.len().is_power_of_two());
    fs::remove_dir_all(folder).unwrap();
}

/// As on two machines that fetched the same packages: each makes all of it.
/// Holds: images-repeat.
#[test]
fn disk_image_packages_with_dependencies_give_equal_bytes() {
    let folder = folder("packages");
    let mut images = Vec::new();
    for machine in ["one", "other"] {
        let mut spec = ImageSpec::new(&root());
        spec.choice.packages = vec!["gawk".into()];
        prepare(&spec, &mut |_| {}).unwrap();
        let work = folder.join(machine);
        fs::create_dir_all(&work).unwrap();
        symlink(spec.work.join("packages-arm64"), work.join("packages-arm64")).unwrap();
        spec.work = work;
        let image = folder.join(format!("{machine}.img"));
        build(&spec, &image, &mut |_| {}).unwrap();
        std::thread::sleep(std::time::Duration::from_millis(1100)); // so that no time of the host can be equal by luck
        images.push(image);
    }
    assert!(fs::read(&images[0]).unwrap() == fs::read(&images[1]).unwrap(), "two builds differ");
    let image = &images[0];
    assert_eq!(fsck(image).unwrap(), FsckVerdict::Clean);
    assert!(stat(image, "/bin").contains("Fast link dest: \"usr/bin\""), "{}", stat(image, "/bin"));
    // The package registers it as an alternative; before, it was busybox.
    assert!(stat(image, "/usr/bin/awk").contains("Fast link dest: \"gawk\""), "{}", stat(image, "/usr/bin/awk"));
    let list = String::from_utf8(read_file(image, super::PACKAGES_LIST).unwrap()).unwrap();
    for package in ["gawk_", "libc6_", "libgmp10_"] {
        assert!(list.contains(package), "{list}");
        let name = package.trim_end_matches('_');
        assert!(!read_file(image, &format!("/usr/share/doc/{name}/copyright")).unwrap().is_empty());
    }
    assert!(read_file(image, "/usr/share/doc/gawk/changelog.Debian.gz").is_err(), "it was to be left out");
    assert!(read_file(image, "/usr/lib/aarch64-linux-gnu/libc.so.6").unwrap().starts_with(b"\x7fELF"));
    fs::remove_dir_all(folder).unwrap();
}

/// Holds: images-listed.
#[test]
fn disk_image_size_is_kept_if_content_fits() {
    let folder = folder("size");
    let image = folder.join("disk.img");
    let mut spec = spec();
    spec.choice.filesystem_mib = Some(8);
    let fault = build(&spec, &image, &mut |_| {}).unwrap_err();
    assert!(matches!(fault, ImageError::TooSmall { wished_mib: 8, content_mib: 9..20 }), "{fault}");
    assert!(fault.to_string().contains("--disk-size-mib"), "{fault}");
    spec.choice.filesystem_mib = Some(200);
    build(&spec, &image, &mut |_| {}).unwrap();
    assert_eq!(fs::metadata(&image).unwrap().len(), 256 << 20);
    assert_eq!(fsck(&image).unwrap(), FsckVerdict::Clean);
    fs::remove_dir_all(folder).unwrap();
}

/// Holds: images-listed.
#[test]
fn flavour_is_found_by_name_or_file() {
    let folder = folder("flavour");
    let mut spec = spec();
    spec.choice.flavour = "devel".into();
    let fault = build(&spec, &folder.join("disk.img"), &mut |_| {}).unwrap_err();
    assert!(fault.to_string().contains("there are dev, small"), "{fault}");
    let mine = folder.join("mine.toml");
    fs::write(&mine, "about = \"mine\"\nbase = \"small\"\n[[file]]\npath = \"/x\"\nmode = 0o600\ntext = \"y\"\n")
        .unwrap();
    spec.choice.flavour = mine.to_string_lossy().into_owned();
    build(&spec, &folder.join("disk.img"), &mut |_| {}).unwrap();
    assert_eq!(read_file(&folder.join("disk.img"), "/x").unwrap(), b"y");
    fs::write(&mine, format!("about = \"mine\"\nbase = \"{}\"\n", mine.display())).unwrap();
    let fault = build(&spec, &folder.join("disk.img"), &mut |_| {}).unwrap_err();
    assert!(fault.to_string().contains("build on one another"), "{fault}");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn disk_image_is_clean_and_has_all_files() {
    let folder = folder("holds");
    let image = folder.join("disk.img");
    build(&spec(), &image, &mut |_| {}).unwrap();
    assert_eq!(fsck(&image).unwrap(), FsckVerdict::Clean);
    assert_eq!(read_file(&image, "/sbin/init").unwrap(), b"program");
    assert!(read_file(&image, "/no/such").is_err());

    let tree = folder.join("tree");
    extract_tree(&image, &tree).unwrap();
    let mode = |path: &str| fs::symlink_metadata(tree.join(path)).unwrap().permissions().mode() & 0o7777;
    assert_eq!(mode("tmp"), 0o777);
    assert_eq!(mode("root/a b/[x]"), 0o711);
    assert!(stat(&image, "/tmp").contains("Mode:  01777"));
    assert!(stat(&image, "/root/a b/[x]").contains("Mode:  04711"));
    assert!(stat(&image, "/dev/null").contains("Device major/minor number: 01:03"), "{}", stat(&image, "/dev/null"));
    assert_eq!(fs::read(tree.join("root/a b/[x]")).unwrap(), vec![7; 100_000]);
    assert_eq!(fs::read_link(tree.join("usr/bin/[")).unwrap(), Path::new("../../bin/busybox"));
    assert_eq!(fs::read_link(tree.join("bin/sh")).unwrap(), Path::new("busybox"));
    assert!(fs::metadata(tree.join("bin/bash")).unwrap().len() > 500_000);
    assert!(tree.join("usr/share/common-licenses/GPL-3").exists());
    assert_eq!(fs::metadata(tree.join("bin/busybox")).unwrap().mtime(), 1_767_225_600);
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn disk_image_unchanged_inputs_are_not_rebuilt() {
    let folder = folder("again");
    let image = folder.join("disk.img");
    let mut steps = Vec::new();
    let mut count = |spec: &ImageSpec| {
        steps.clear();
        build(spec, &image, &mut |step| steps.push(step.to_string())).unwrap();
        steps.iter().any(|step| step == "building the disk image")
    };
    let mut spec = spec();
    assert!(count(&spec));
    assert!(!count(&spec));
    spec.placed[0].content = FileContent::Bytes(b"another program".to_vec());
    assert!(count(&spec));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn disk_image_foreign_file_is_refused_with_way_out() {
    let folder = folder("other");
    let file = folder.join("text");
    for (contents, reason) in [(b"short".to_vec(), "shorter than a sector"), (vec![0; 4096], "no partition table")] {
        fs::write(&file, contents).unwrap();
        let fault = expect_mountable(&file).unwrap_err();
        assert!(matches!(fault, ImageError::NotExt2 { .. }));
        assert!(fault.to_string().contains(reason), "{fault}");
        assert!(fault.to_string().contains("./renga image"), "{fault}");
    }
    fs::remove_dir_all(folder).unwrap();
}

/// Holds: paths-spaces.
#[test]
fn filesystem_file_added_from_a_path_with_spaces_is_there() {
    let folder = folder("my work, too");
    let (filesystem, from) = (folder.join("file system"), folder.join("a script"));
    let image = fs::File::create(&filesystem).unwrap();
    image.set_len(1 << 20).unwrap();
    run_well("mke2fs", "e2fsprogs", |command| {
        command.args(["-q", "-F"]).arg(&filesystem);
    })
    .unwrap();
    for content in ["echo old", "echo begun"] {
        fs::write(&from, content).unwrap();
        super::add_file(&filesystem, "/etc/my script", &from).unwrap();
    }
    assert!(super::add_file(&filesystem, "/etc/none", &folder.join("none")).is_err());
    let output = run_well("debugfs", "e2fsprogs", |command| {
        command.args(["-R", "cat \"/etc/my script\""]).arg(&filesystem);
    });
    assert_eq!(output.unwrap().stdout, b"echo begun");
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn fsck_finds_damaged_file_system() {
    let folder = folder("fault");
    let image = folder.join("disk.img");
    build(&spec(), &image, &mut |_| {}).unwrap();
    let mut bytes = fs::read(&image).unwrap();
    // The first group's block bitmap and inode table follow its descriptors.
    bytes[(1 << 20) + 2 * 4096..][..4096].fill(0);
    fs::write(&image, bytes).unwrap();
    assert!(matches!(fsck(&image).unwrap(), FsckVerdict::Damaged(_)));
    fs::remove_dir_all(folder).unwrap();
}

#[test]
fn disk_image_bad_paths_are_refused() {
    for path in ["relative", "/a/../b", "/a//b", "/quote\"", "/sbin/init/below"] {
        let mut spec = spec();
        spec.placed.push(Placed { dest: path.into(), content: FileContent::Bytes(Vec::new()), mode: 0o644 });
        let fault = build(&spec, Path::new("/nonexistent/disk.img"), &mut |_| {}).unwrap_err();
        assert!(matches!(fault, ImageError::BadPath { .. }), "{path}: {fault}");
    }
}

/// Of what is put on an image besides what it is made of.
/// Holds: put-links.
#[test]
fn disk_image_too_small_is_one_line_error() {
    let folder = folder("room");
    let image = folder.join("disk.img");
    let mut spec = spec();
    spec.placed.push(Placed { dest: "/host/link".into(), content: FileContent::Link("no where".into()), mode: 0o777 });
    build(&spec, &image, &mut |_| {}).unwrap();
    assert!(stat(&image, "/host/link").contains("Fast link dest: \"no where\""), "{}", stat(&image, "/host/link"));
    assert_eq!(fsck(&image).unwrap(), FsckVerdict::Clean);
    let large = folder.join("large");
    fs::File::create(&large).unwrap().set_len(1 << 30).unwrap();
    spec.placed.push(Placed { dest: "/host/large".into(), content: FileContent::HostFile(large), mode: 0o644 });
    let refused = build(&spec, &image, &mut |_| {}).unwrap_err().to_string();
    assert!(
        refused.contains("MiB") && refused.contains("--disk-size-mib") && refused.lines().count() == 1,
        "{refused}"
    );
    spec.placed.pop();
    for number in 0..30_000 {
        let (dest, content) = (format!("/host/{number}"), FileContent::Bytes(Vec::new()));
        spec.placed.push(Placed { dest, content, mode: 0o644 });
    }
    let refused = build(&spec, &image, &mut |_| {}).unwrap_err().to_string();
    assert!(
        refused.contains("files") && refused.contains("--disk-size-mib") && refused.lines().count() == 1,
        "{refused}"
    );
    fs::remove_dir_all(folder).unwrap();
}
