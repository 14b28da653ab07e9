printf 'one two\nthree\n' > f; printf 'no newline' > g; : > e
wc f; wc -l f g; wc -w < f; wc -c e; wc -L f; wc f g e | tail -n 1; cat f | wc
