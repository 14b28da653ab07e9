# What: a breakpoint, a variable, a backtrace
# Package: gdb
# Expect: $1 = 21
# Differs: there is no `ptrace` (`ENOSYS`)
printf 'int twice(int x) { return 2 * x; }\nint main(void) { return twice(21) - 42; }\n' > p.c
gcc -g -o p p.c
gdb -nx -batch -ex 'break twice' -ex run -ex 'print x' -ex bt -ex continue ./p 2>&1 | grep -E '^(\$|#|\[Inf)' | sed 's/process [0-9]*/process/'
rm -f p
