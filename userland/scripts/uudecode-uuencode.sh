seq 50 > f; uuencode f copy > u; head -n 1 u; rm -f copy; uudecode u; cmp f copy && echo same
