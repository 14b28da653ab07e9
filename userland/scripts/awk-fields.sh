printf 'alice 30 x\nbob 25 y\ncarol 35 z\n' > t
awk '{ s += $2 } END { print NR, s, s / NR }' t
awk '$2 > 26 { print toupper($1), length($1) }' t
awk -F: '{ print $1 "-" $3 }' /etc/passwd | head -n 2
awk 'BEGIN { for (i = 1; i <= 5; i++) printf "%d %03d %s\n", i, i * i, (i % 2 ? "odd" : "even") }'
