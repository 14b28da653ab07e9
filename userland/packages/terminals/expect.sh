# What: a dialogue with a shell on a terminal of its own
# Package: expect
# Expect: said 42
cat > dialogue <<'D'
set timeout 20
log_user 0
spawn -noecho sh
expect "# "
send "echo \$((6 * 7))\r"
expect {
  -re "\n42\r" { puts "said 42" }
  timeout { puts "timeout" }
}
send "stty -echo; test -t 0 && echo a term''inal\r"
expect {
  "a terminal" { puts "a terminal" }
  timeout { puts "timeout" }
}
send "exit 5\r"
expect eof
puts "status [lindex [wait] 3]"
D
expect -f dialogue
