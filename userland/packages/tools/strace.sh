# What: the system calls of a program listed
# Package: strace
# Expect: write(1, "hi\n", 3)
# Differs: there is no `ptrace` (`ENOSYS`)
strace -o log -e trace=write echo hi; echo $?
grep write log
rm -f log
