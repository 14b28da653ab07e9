# The content of the card goes to a disk in memory, each of whose requests ends so long after it came, and which passes
# so many bytes a second (MiB/s, as null_blk has it).
$b mount -t configfs config /sys/kernel/config
timed=/sys/kernel/config/nullb/$NAME
$b mkdir $timed
sectors=$($b cat /sys/class/block/mmcblk0p1/size)
for setting in size=$((sectors / 2048 + 1)) memory_backed=1 queue_mode=2 submit_queues=1 irqmode=2 \
  completion_nsec=$REQUEST_NS mbps=$RATE_MIB_S power=1; do
  echo ${setting#*=} >$timed/${setting%%=*} || $b reboot -f
done
$b umount /sys/kernel/config
disk=/dev/$NAME
$b dd if=/dev/mmcblk0p1 of=$disk bs=1M || {
  echo "the content of the card does not fit into the memory of Linux"
  $b reboot -f
}
echo 3 >/proc/sys/vm/drop_caches
