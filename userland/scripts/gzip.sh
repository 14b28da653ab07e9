seq 5000 > f; md5sum f
gzip -c f > f.gz; gzip -t f.gz && echo good; zcat f.gz | md5sum
gunzip -c f.gz | md5sum
gzip f 2>/dev/null; ls; gunzip f.gz; ls
echo broken > b.gz; gunzip b.gz 2>/dev/null || echo refused
