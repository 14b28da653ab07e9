echo data | tee a b; cat a b; echo more | tee -a a > /dev/null; cat a
seq 10 | xargs echo; seq 10 | xargs -n 3 echo; printf 'a b\nc\n' | xargs -I{} echo '[{}]'
echo 'x y' | xargs -n 1 sh -c 'echo arg $0'; : | xargs -r echo never; seq 5 | xargs -n 2 sh -c 'exit 1'; echo $?
