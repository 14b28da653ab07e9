# What: a command on a terminal of its own, its output kept, its status returned
# Package: bsdutils
# Expect: size 24 80
script -qec 'stty rows 24 cols 80; test -t 0 && echo a terminal; echo size $(stty size); exit 3' kept < /dev/null
echo $?
grep -c terminal kept
printf 'echo typed $((6 * 7))\nexit\n' | script -qc 'PS1= sh' | tr -d '\r' | grep '^typed 42'
rm -f kept typescript
