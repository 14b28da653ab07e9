printf 'The quick brown fox' > f
sha3sum f; md5sum f; sha1sum f; sha256sum f; sha512sum f | cut -c1-40; crc32 f 2>/dev/null || true
md5sum f > sums; md5sum -c sums
echo changed > f; md5sum -c sums 2>/dev/null; echo $?
