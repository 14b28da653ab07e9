i=0; sum=0
while [ $i -lt 50 ]; do sum=$((sum + i * i)); i=$((i + 1)); done
echo $sum $((17 % 5)) $((1 << 20)) $((-7 / 2)) $((0x1f | 32)) $((3 > 2 && 2 > 3))
a=5; echo $((a++ + ++a)) $a; echo $((a > 6 ? 100 : 200))
