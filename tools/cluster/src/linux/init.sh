#!/busybox sh
# The first program of Linux: mounts the disk, runs the session's script on it as Renga's init does, and stops the board.
# What the script writes is between two lines that begin with the ASCII control character RS, which `console` searches for.
b=/busybox
$b mount -t proc proc /proc
$b mount -t sysfs sys /sys
$b mount -t devtmpfs dev /dev
for module in $MODULES; do $b insmod "/modules/$module.ko"; done
$FURTHER
tries=0
while [ ! -b /dev/mmcblk0p1 ] && [ $tries -lt 100 ]; do
  tries=$((tries + 1))
  $b sleep 0.1
done
disk=/dev/mmcblk0p1
$TIMED
# Without the line of a status the host reports what was said last.
$b mount -t ext2 $disk /disk || $b reboot -f
for folder in dev proc sys; do
  $b mkdir -p /disk/$folder
  $b mount --move /$folder /disk/$folder
done
$b ln -s /proc/self/fd /disk/dev/fd
$b mkdir -p /disk/dev/pts /disk/dev/shm
$b mount -t devpts -o gid=5,mode=620 pts /disk/dev/pts
$b mount -t tmpfs shm /disk/dev/shm
$b hostname a
$b ip link set lo up
for address in 10.0.0.1/32 fd00::1/128; do $b ip addr add $address dev lo; done
$b date -s "@$EPOCH_S" >/disk/dev/null
$b stty -opost -echo </disk/dev/ttyS1
printf '\036begin\n'
$b env -i PATH=/bin:/sbin:/usr/bin:/usr/sbin HOME=/root TERM=linux USER=root LOGNAME=root SHELL=/bin/sh \
  $b setsid -c $b chroot /disk /bin/sh /etc/renga/script <>/disk/dev/ttyS1 >&0 2>&0
printf '\036status %d\n' $?
$b kill -9 -1
$b sync
$b umount /disk/dev/pts /disk/dev/shm /disk/dev /disk/proc /disk/sys
$b umount /disk || $b mount -o remount,ro /disk
$END
$b reboot -f
