# A real program by make, and what it then computes.
cp -r ../../sources/lua5.4 lua
cd lua/src
make CC=gcc CFLAGS="-O0 -DLUA_COMPAT_5_3 -DLUA_USE_POSIX" MYLIBS= -j 2 lua > ../../make.out 2>&1
echo $?
sort ../../make.out | tail -n 40
cat > sieve.lua <<'END'
local sieve, found = {}, 0
for n = 2, 20000 do
  if not sieve[n] then
    found = found + 1
    for m = n * n, 20000, n do sieve[m] = true end
  end
end
print(found, string.format("%.6f", math.sin(1)), #tostring({}) > 8)
END
./lua sieve.lua
echo $?
make CC=gcc lua | tail -n 1
cd ../.. && rm -r lua
