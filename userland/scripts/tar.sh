mkdir -p t/d; echo 1 > t/a; seq 500 > t/d/b; ln -s a t/l; chmod 700 t/d
tar cf x.tar t; tar tf x.tar | sort; mkdir o; tar xf x.tar -C o; cmp t/d/b o/t/d/b && readlink o/t/l; stat -c %a o/t/d
tar czf x.tgz t; rm -r t; tar xzf x.tgz; cat t/a; tar tzf x.tgz | wc -l; tar xOf x.tar t/a
tar tf nosuch.tar 2>/dev/null || echo missing
rm x.tar x.tgz # they hold times and the order of folders
