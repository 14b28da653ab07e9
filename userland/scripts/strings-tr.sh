printf 'abc\0\001longer text\377x' | strings
echo hello | tr a-y b-z; echo hello | tr -d l; echo aabbcc | tr -s a-c; echo Hi | tr A-Z a-z
echo 'a b  c' | tr -cs a-z '\n'; echo abc | tr abc 12; printf 'x\ny\n' | tr '\n' ' '; echo
