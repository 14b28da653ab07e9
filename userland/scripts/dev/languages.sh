# One-liners.
python3 -c 'import json, zlib; print(json.dumps({"crc": zlib.crc32(b"renga" * 1000)}))'
python3 -c 'import subprocess; print(subprocess.run(["sort", "-r"], input="a\nc\nb\n", text=True, capture_output=True).stdout)'
python3 -c 'import os; r, w = os.pipe(); os.write(w, b"through a pipe"); print(os.read(r, 99))'
python3 -W ignore -c 'import os; print(sorted(__import__(name.split(".")[0]).__name__ for name in os.listdir("/usr/lib/python3.11/lib-dynload"))); print(len(open("/proc/self/maps").readlines()) > 150)'
python3 -c 'import sqlite3; c = sqlite3.connect("t.db"); c.execute("create table t(a)"); c.executemany("insert into t values (?)", [(n,) for n in range(500)]); c.commit(); print(c.execute("select sum(a) from t").fetchall())'
perl -e '%h = map { $_ => $_ ** 2 } 1 .. 9; print join(",", map { "$_=$h{$_}" } sort keys %h), "\n"'
perl -ne '$n{length $_}++; END { print map { "$_ $n{$_}\n" } sort { $a <=> $b } keys %n }' /etc/passwd
lua5.4 -e 'for w in ("the quick brown fox"):gmatch("%a+") do io.write(w:upper(), " ") end print(("x"):rep(5))'
gawk 'BEGIN { while ((getline line < "/etc/passwd") > 0) n += split(line, f, ":"); print n; printf "%.3f\n", atan2(1, 2) }'
sqlite3 t.db 'select count(*), avg(a) from t where a % 7 = 0'
echo '2 ^ 100' | bc
