seq 100 > f; split -l 30 f part; ls part*; wc -l part* | tail -n 1; cat parta? | cmp - f && echo whole
split -b 50 f byte; ls byte* | wc -l
