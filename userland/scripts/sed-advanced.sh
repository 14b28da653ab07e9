printf 'a\nb\nc\nd\n' > f
sed 'N;s/\n/-/' f; sed -n 'H;${x;s/\n/,/g;p}' f; sed '1!G;h;$!d' f
sed ':a;N;$!ba;s/\n/+/g' f; sed 's/./&&/' f; sed '/b/c\changed' f; sed -e 1d -e 's/c/C/' f
sed -n '/b/{p;q}' f; sed 's/x*/-/g' f | head -n 1; echo 'a/b' | sed 's,/,:,'
