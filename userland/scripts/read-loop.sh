printf 'one 1\ntwo 2\nthree' > f
while read name number; do echo "$number=$name"; done < f; echo "[$name]"
while IFS= read -r line; do echo "<$line>"; done <<'END'
  leading
back\slash
END
echo 'a b c d' | (read x rest; echo "$rest")
