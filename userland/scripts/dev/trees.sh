# A tree as of a version control system: many small files in many folders, moved with tar, found and counted.
mkdir tree && cd tree
n=0
while [ $n -lt 256 ]; do
  folder=objects/$(printf %02x $n)
  mkdir -p $folder
  echo "object $n" > $folder/$(printf '%s' "$n" | md5sum | cut -c 1-30)
  n=$((n + 1))
done
ln -s objects/00 head
ln objects/01/* hard
chmod 444 objects/ff/*
cd ..
tar cf tree.tar --sort=name --mtime=@0 tree && tar tvf tree.tar | wc -l
gzip -9n tree.tar && mkdir copy && tar xzf tree.tar.gz -C copy
diff -r tree copy/tree && echo same
find copy -type f | wc -l
find copy -type f -name '*a*' -exec cat {} + | sort -k 2n | cksum
find copy -type f -links +1 | sort
find copy -perm 444 -print0 | xargs -0 -n 1 basename
xz -k < tree.tar.gz | xz -d | cmp - tree.tar.gz && echo xz
find tree -depth -type d -name '0*' -exec rm -r {} +
ls tree/objects | wc -l
rm -r tree copy tree.tar.gz

# A directory whose path is longer than any call may be given.
perl -e 'my $z = "z" x 31; for (1 .. 256) { mkdir $z or die; chdir $z or die } exec "/bin/pwd"' > deep
tail -c 8193 deep | tr -d 'z\n' | wc -c
wc -c < deep > long; [ $(cat long) -gt 8192 ] && echo long
rm -r zzz* deep long
