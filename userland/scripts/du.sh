mkdir d; dd if=/dev/zero of=d/f bs=4096 count=8 2>/dev/null
du -k d/f | cut -f1
du -a d | wc -l
