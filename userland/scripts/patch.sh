seq 10 > a; cp a orig; sed 's/3/three/; 8d' a > b
diff -u a b > p; patch a p; cmp a b && echo patched
patch -R a p; cmp a orig && echo reversed
