echo $(echo $(echo deep)) `echo old`
lines=$(printf 'a\nb\n\n\n'); echo "[$lines]"
echo "$(cat <<END
inside
END
)"
x=$(exit 6); echo $?
echo $(seq 3) "$(seq 3)"
