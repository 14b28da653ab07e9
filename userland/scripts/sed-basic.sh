printf 'one\ntwo\nthree\nfour\n' > f
sed 's/o/0/' f; sed 's/o/0/g' f; sed -n '2,3p' f; sed '2d' f; sed '/three/,$d' f
sed -n '$p' f; sed '1i\first' f; sed '$a\last' f; sed 's/\(t\)\(.\)/\2\1/' f; sed -E 's/(e+)/<\1>/' f
sed -i 's/two/2/' f; cat f; sed y/abc/xyz/ f; sed -n '/o/=' f; sed 2q f
