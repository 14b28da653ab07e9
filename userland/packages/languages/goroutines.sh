# What: a static program of Go: goroutines, a preempted loop, collection, timers, a server and its client, a child
# Package: Go
# Expect: sum 328350
cp ../../goroutines . && chmod +x goroutines
./goroutines; echo $?
rm goroutines
