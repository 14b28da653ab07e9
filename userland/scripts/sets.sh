seq 1 9 > a; seq 2 2 14 > b
sort a b | uniq -d; sort -n a b | uniq -u | tr '\n' ' '; sort -nu a b | wc -l
grep -vxF -f a b; grep -cxF -f a b
while read n; do grep -qx $n b || echo "only in a: $n"; done < a
