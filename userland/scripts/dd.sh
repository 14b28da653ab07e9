seq 1000 > in
dd if=in of=out bs=100 count=3 2>/dev/null; wc -c out
dd if=in of=part bs=1 skip=10 count=20 2>/dev/null; cat part; echo
dd if=/dev/zero of=zeros bs=4096 count=10 2>/dev/null; md5sum zeros
printf XYZ | dd of=zeros bs=1 seek=5000 conv=notrunc 2>/dev/null; md5sum zeros
dd if=in bs=512 2>/dev/null | md5sum
