printf 'alpha\nBeta\ngamma ray\nalphabet\n\n' > f
grep alpha f; grep -i beta f; grep -v a f; grep -c alpha f; grep -n ray f
grep -E '^(al|ga)' f; grep -w alpha f; grep -o 'ph.' f; grep -q nothing f; echo $?
grep -x Beta f; grep -F 'a.p' f || echo literal; grep -A1 Beta f; grep -l alpha f /dev/null
echo 'a1b22' | grep -Eo '[0-9]+'; grep x nosuch 2>/dev/null; echo $?
