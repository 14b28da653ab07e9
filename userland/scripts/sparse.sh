printf end | dd of=f bs=1 seek=100000 2>/dev/null; wc -c f; md5sum f
truncate -s 5000 f; wc -c f; md5sum f; truncate -s 0 f; wc -c f; truncate -s 9000 g; md5sum g
