# What: two processes write one table in turn, full text is searched
# Package: sqlite3
# Expect: 200
sqlite3 t.db 'pragma journal_mode=wal; create table t(n);'
for w in 1 2; do for n in $(seq 10); do echo "pragma busy_timeout=20000; insert into t select value from generate_series(1, 10);"; done | sqlite3 t.db > /dev/null & done; wait
sqlite3 t.db 'select count(*) from t; pragma integrity_check;'
sqlite3 t.db "create virtual table f using fts5(x); insert into f values ('the quick fox'), ('lazy dog'); select x from f where f match 'quick';"
rm -f t.db*
