# C sources of the sizes that the paper compiles, with tcc and with gcc, linked and run.
cat > source.awk <<'END'
# A program of exactly SIZE bytes: functions that call each other, and a comment at its end.
BEGIN {
  if (SIZE < 64) { printf "%-" (SIZE - 1) "s\n", "int main(void) { return 0; }"; exit }
  head = "int printf(const char *, ...);\nstatic unsigned f0(unsigned x) { return x * 3u + 1u; }\n"
  for (n = 1; ; n++) {
    body = sprintf("static unsigned f%d(unsigned x)\n{\n    unsigned a[4] = { x, %d, x >> 3, %d }, i;\n", n, n * 7, n)
    body = body "    for (i = 0; i < 4; i++)\n        switch (a[i] & 3) {\n"
    body = body sprintf("        case 0: x += a[i]; break;\n        case 1: x ^= f%d(a[i]); break;\n", int(n / 2))
    body = body "        default: x = x / 3 + i; break;\n        }\n    return x;\n}\n"
    tail = sprintf("int main(void)\n{\n    printf(\"%%u\\n\", f%d(%d));\n    return 0;\n}\n", n, SIZE)
    if (length(head body tail) + 6 > SIZE) break
    head = head body
  }
  tail = sprintf("int main(void)\n{\n    printf(\"%%u\\n\", f%d(%d));\n    return 0;\n}\n", n - 1, SIZE)
  printf "%s%s/*%" (SIZE - length(head tail) - 5) "s*/\n", head, tail, ""
}
END
for size in 30 1011 6876 8012 49797 96413; do
  awk -v SIZE=$size -f source.awk > $size.c
  wc -c < $size.c
  tcc -c -o tcc.o $size.c && tcc -o with-tcc tcc.o && ./with-tcc
  echo tcc $?
  gcc -O1 -c -o gcc.o $size.c && gcc -o with-gcc gcc.o && ./with-gcc
  echo gcc $?
  cksum tcc.o gcc.o
done
rm -f with-tcc with-gcc
