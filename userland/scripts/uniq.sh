printf 'a\na\nb\nA\nb\nb\n' > f
uniq f; uniq -c f | awk '{ print $1 $2 }'; uniq -d f; uniq -u f; uniq -i f; sort f | uniq -c | sort -rn | awk '{ print $1 $2 }'
