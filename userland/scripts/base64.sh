printf 'any carnal pleasure.' | base64 | tee coded
base64 -d coded; echo
seq 200 | base64 > big; base64 -d big | md5sum
