seq 3; seq 2 5; seq 1 2 9; seq -s, 5; seq -w 8 11; seq 5 -2 1
factor 12 97 1000 2>/dev/null
