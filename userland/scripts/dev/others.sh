# Of the papers' further programs.
ls /usr/bin | sort | cksum
fftw-wisdom -t 0.1 -n c8 > wisdom 2> /dev/null
echo $? $(grep -c fftw wisdom)
pcregrep -rc '^#define\s+\w+\s+0x[0-9a-f]+' /usr/include/asm-generic | sort | cksum
pcregrep -r -h -o '(?<=include <)linux/[a-z]+(?=\.h)' /usr/include/linux | sort | uniq -c | sort -rn | head -n 5
rm wisdom
