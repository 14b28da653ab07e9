mkdir -p d/e; touch d/f d/e/g h; chmod 000 h
rm h; rm d 2>/dev/null || echo is a directory; rm -r d; ls | wc -l
rm nosuch 2>/dev/null || echo missing; rm -f nosuch && echo quiet
touch -- -dash; rm -- -dash; ls | wc -l; touch 'sp ace' 'st*r'; rm 'st*r'; ls
