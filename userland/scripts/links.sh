echo data > f; ln f hard; stat -c %h f; echo more >> hard; cat f
ln -s f soft; readlink soft; cat soft; ln -s nowhere dangling; cat dangling 2>/dev/null || echo dangling
rm f; cat hard; cat soft 2>/dev/null || echo gone; ln -sf hard soft; cat soft
mkdir d; ln -s d dl; echo x > dl/in; cat d/in; ln -s loop1 loop2; ln -s loop2 loop1; cat loop1 2>/dev/null || echo loop
ln hard hard 2>/dev/null || echo exists; readlink -f dl/in | sed 's,.*/d/,d/,'
