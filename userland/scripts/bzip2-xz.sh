seq 3000 > f
bzip2 -k f; bzcat f.bz2 | md5sum; bunzip2 -c f.bz2 | cmp - f && echo same
lzop -c f 2>/dev/null | lzop -dc 2>/dev/null | md5sum
