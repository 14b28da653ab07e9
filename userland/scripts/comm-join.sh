printf '1 a\n2 b\n4 d\n' > l; printf '1 x\n3 y\n4 z\n' > r
cut -d' ' -f1 l > l1; cut -d' ' -f1 r > r1
comm l1 r1; comm -12 l1 r1; comm -3 l1 r1
