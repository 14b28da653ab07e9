# What: objects compiled four at a time, every other one on the other board
# Package: make
# Expect: 55
for n in $(seq 10); do echo "int f$n(void) { return $n; }" > f$n.c; done
{ for n in $(seq 10); do echo "int f$n(void);"; done; echo '#include <stdio.h>'; printf 'int main(void) { printf("%%d\\n", 0'
  for n in $(seq 10); do printf " + f$n()"; done; echo '); return 0; }'; } > m.c
cat > Makefile <<'M'
m: m.o f1.o f2.o f3.o f4.o f5.o f6.o f7.o f8.o f9.o f10.o
	gcc -o $@ $^
m.o f1.o f3.o f5.o f7.o f9.o: %.o: %.c
	gcc -c -o $@ $<
f2.o f4.o f6.o f8.o f10.o: %.o: %.c
	there gcc -c -o $@ $<
M
make -s -j 4 && ./m
rm -f *.o m
