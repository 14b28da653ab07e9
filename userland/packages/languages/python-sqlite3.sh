# What: two connections with write-ahead logging, a rollback, a lock that waits
# Package: python3
# Expect: 499500
cat > q.py <<'P'
import sqlite3, threading
c = sqlite3.connect('t.db'); print(c.execute('pragma journal_mode=wal').fetchone())
c.execute('create table t(a integer primary key, b)')
with c: c.executemany('insert into t values (?, ?)', ((n, str(n)) for n in range(1000)))
print(c.execute('select sum(a) from t').fetchone()[0])
d = sqlite3.connect('t.db', timeout=0.1); c.execute('begin immediate')
try: d.execute('begin immediate')
except sqlite3.OperationalError as e: print(e)
c.rollback(); d.execute('begin immediate'); d.execute('delete from t where a % 2'); d.commit()
print(c.execute('select count(*) from t').fetchone()[0], c.execute('pragma integrity_check').fetchone()[0])
P
python3 q.py; rm -f q.py t.db*
