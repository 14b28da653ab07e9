for i in $(seq 300); do echo "the word number $i of the list"; done > f
tr -cs A-Za-z '\n' < f | sort | uniq -c | sort -rn | head -n 5 | awk '{ print $1, $2 }'
wc -l f | awk '{ print $1 }'; grep -c 'number 1' f; sort f | sha256sum
