# What: a graph of 20 commands, four at a time, twice
# Package: ninja-build
# Expect: no work to do
{ echo 'rule add'; echo '  command = cat $in > $out && echo $out >> $out'; 
  for n in $(seq 20); do echo "build o$n: add in"; done; printf 'build all: add'; for n in $(seq 20); do printf " o$n"; done; echo; } > build.ninja
echo in > in
ninja -j 4 all | tail -n 1 | cut -c1-7; wc -l < all; ninja all
rm -f .ninja_*
