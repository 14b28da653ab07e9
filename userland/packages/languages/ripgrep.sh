# What: a program in Rust: threads search a tree
# Package: ripgrep
# Expect: 4 files
mkdir -p d/e && for n in $(seq 30); do seq $n 400 > d/f$n; cp d/f$n d/e/g$n; done
rg -j 4 -c '^4$' d | sort
echo $(rg -j 4 -l '^2$' d | wc -l) files
rg --sort path -o '39[0-3]' d/e/g30 | head -n 4
