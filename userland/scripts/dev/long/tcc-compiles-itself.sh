# tcc's own sources, by tcc, by the tcc that came of it, and by the one that came of that: the last two are one program.
cp -r ../../sources/tcc tcc
cd tcc
cat > config.h <<'END'
#define TCC_VERSION "0.9.27"
#define CONFIG_TCCDIR "/usr/lib/aarch64-linux-gnu/tcc"
#define CONFIG_TRIPLET "aarch64-linux-gnu"
END
compile() { "$1" -DONE_SOURCE=1 -DTCC_TARGET_ARM64 -I. -o "$2" tcc.c -lm -ldl -lpthread; echo "$2: $?"; }
compile tcc ./first
compile ./first ./second
compile ./second ./third
cmp second third && echo "the same"
cksum third
cd .. && rm -r tcc
