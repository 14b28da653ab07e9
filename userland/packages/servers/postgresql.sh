# What: initdb, a server, SQL by the other board, pgbench with two clients
# Package: postgresql-15
# Expect: number of transactions actually processed: 40/40
bin=/usr/lib/postgresql/15/bin
mkdir data && chown 1000:1000 data . && chmod 700 data
as-user $bin/initdb -D data -U user -A trust --no-locale -E UTF8 > log 2>&1; echo initdb $?
echo 'host all all 10.0.0.0/8 trust' >> data/pg_hba.conf
as-user $bin/pg_ctl -D data -w -t 120 -o "-k $PWD -h '*' -p 5400" -l data/log start > /dev/null; echo start $?
export PGUSER=user PGDATABASE=postgres PGPORT=5400
there psql -h $HERE -Atc 'create table t as select n from generate_series(1, 1000) n; select sum(n) from t'
psql -h $PWD -Atc 'create index i on t(n); analyze t; select count(*) from t where n > 900'
$bin/pgbench -h $PWD -i -q > /dev/null 2>&1; echo filled $?
$bin/pgbench -h $PWD -c 2 -j 2 -t 20 2>&1 | grep -E 'processed|failed'
psql -h $PWD -Atc 'select count(*) from pgbench_history'
as-user $bin/pg_ctl -D data -w -t 120 -m fast stop > /dev/null; echo stop $?
[ -s data/log ] && grep -E 'FATAL|PANIC' data/log
[ -d data/base ] || cat log
rm -rf data log
