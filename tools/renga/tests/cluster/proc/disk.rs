//! The disk's own node: programs for disks read it.

use crate::images::{dev, packages_can_be_had};
use crate::support::{Disk, Renga, clusters_can_run};

/// Holds: disk-node.
#[test]
fn disk_device_reads_medium() {
    if !clusters_can_run() {
        return;
    }
    let session = r#"
for where in a b; do
  remote -b $where sh -c 'dd if=/dev/mmcblk0p1 bs=1 skip=1080 count=2 2> /dev/null | hexdump -v -e "1/1 \"%02x\""; echo
    blocks=$(dd if=/dev/mmcblk0p1 bs=1 skip=1028 count=4 2> /dev/null | hexdump -v -e "1/4 \"%d\"")
    [ $(blockdev --getsize64 /dev/mmcblk0p1) = $((blocks * 4096)) ] && echo size; blockdev --getro /dev/mmcblk0p1
    dd if=/dev/root bs=100000 skip=1 count=3 2> /dev/null | wc -c; for at in $((blocks - 1)) $blocks; do
      dd if=/dev/mmcblk0p1 bs=4096 skip=$at 2> /dev/null | wc -c; done
    stat -c "%F %t %T" /dev/mmcblk0p1; stat -L -c "%t %T" /dev/fd/0 < /dev/mmcblk0p1
    true 2> /dev/null > /dev/mmcblk0p1 || echo not written'
done
"#;
    let each = "53ef\nsize\n1\n300000\n4096\n0\nblock special file b3 1\nb3 1\nnot written\n";
    Renga::script(session).end().expect_status(0).expect_text(&format!("{each}{each}"));
}

/// Holds: disk-node.
#[test]
fn disk_device_e2fsck_of_mounted_system_is_clean() {
    if !clusters_can_run() || !packages_can_be_had() {
        return;
    }
    let session = "mkdir /tmp/d && seq 5000 > /tmp/d/f && rm -r /tmp/d; seq 20000 > /tmp/kept; sync\n\
        for where in a b; do out=$(remote -b $where e2fsck -fn /dev/mmcblk0p1 2> /dev/null); echo $?\n\
        echo \"$out\" | grep -c '? no'; echo \"$out\" | grep -c ' files (.* blocks$'; echo \"$out\" | grep -c '^Pass'; done\n\
        dumpe2fs -h /dev/mmcblk0p1 2> /dev/null | grep -c '^Block count'; dmesg | grep -c 'kernel: processes'";
    let disk = Disk::of("node", dev(), session, &[]);
    disk.run_on("pair").expect_status(0).expect_text("0\n0\n1\n5\n0\n0\n1\n5\n1\n1\n");
}
