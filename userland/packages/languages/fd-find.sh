# What: a program in Rust: threads walk a tree and run commands
# Package: fd-find
# Expect: found 60
mkdir -p d/e && for n in $(seq 30); do seq $n > d/f$n; cp d/f$n d/e/g$n; done
echo found $(fdfind -j 4 -t f . d | wc -l)
fdfind -j 2 'g2.$' d -x wc -l {} | sort
