seq 100 > one; echo two > two; mkdir d; echo three > d/three; chmod 600 two
find one two d | sort | cpio -o -H newc 2>/dev/null > x.cpio; cpio -t < x.cpio 2>/dev/null
mkdir out; (cd out && cpio -id < ../x.cpio 2>/dev/null; cmp one ../one; cat d/three; stat -c %a two)
unix2dos < one | od -c | head -n 1; printf 'a\r\nb\r\n' | dos2unix | od -c
xz -dc nosuch 2>/dev/null || echo missing; seq 100 | gzip -9 | zcat | tail -n 1
rm x.cpio # it holds times
