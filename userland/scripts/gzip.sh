seq 5000 > f; cksum f
gzip -c f > f.gz; gzip -t f.gz && echo good; zcat f.gz | cksum
gzip f.gz 2>/dev/null; gunzip -c f.gz | cksum
gzip f 2>/dev/null; ls; gunzip f.gz; ls
echo broken > b.gz; gunzip b.gz 2>/dev/null || echo refused
