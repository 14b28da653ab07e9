touch -d '2020-02-03 04:05:06' f; stat -c %y f | cut -d. -f1
touch g; test g -nt f && echo newer; test f -ot g && echo older
touch -r f h; stat -c %Y h; stat -c %Y f
cp -p f k; test "$(stat -c %Y k)" = "$(stat -c %Y f)" && echo kept
date -u -d '2001-09-09 01:46:40' +%s; date -u -d @0 '+%Y-%m-%d %H:%M:%S %a %j'
