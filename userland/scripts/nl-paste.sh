printf 'a\nb\n\nc\n' > f; seq 3 > g
nl f; nl -b a f; paste f g; paste -d, g f; paste -s g
