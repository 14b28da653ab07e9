printf 'b 2\na 10\nc 1\na 9\n' > f
sort f; sort -r f; sort -k2 -n f; sort -k1,1 -k2,2n f; sort -u -k1,1 f | cut -c1
printf '10\n9\n100\n' | sort; printf '10\n9\n100\n' | sort -n; printf 'B\na\nC\n' | sort -f
sort -t: -k3 -n /etc/passwd | head -n 1 | cut -d: -f1; sort -c f 2>/dev/null || echo unsorted; seq 3000 | sort -rn | head -n 1
