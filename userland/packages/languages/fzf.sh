# What: a program in Go: goroutines filter lines
# Package: fzf
# Expect: 4242
seq 10000 | fzf --filter '^4242$'; echo $?
seq 100 | fzf --filter "'99 | '98" | sort
