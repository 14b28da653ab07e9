// A static program of Go: goroutines on several threads, channels, timers, a server and a client, a child.
package main

import (
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

func square(in <-chan int, out chan<- int, done *sync.WaitGroup) {
	defer done.Done()
	for n := range in {
		out <- n * n
	}
}

func answer(listener net.Listener) {
	connection, err := listener.Accept()
	if err == nil {
		io.Copy(connection, io.LimitReader(connection, 5))
		connection.Close()
	}
}

func main() {
	runtime.GOMAXPROCS(4)
	in, out := make(chan int), make(chan int, 100)
	var done sync.WaitGroup
	for range 8 {
		done.Add(1)
		go square(in, out, &done)
	}
	for n := range 100 {
		in <- n
	}
	close(in)
	done.Wait()
	close(out)
	sum := 0
	for n := range out {
		sum += n
	}
	fmt.Println("sum", sum)
	var stop atomic.Bool
	go func() {
		for !stop.Load() {
		}
	}()
	time.Sleep(20 * time.Millisecond)
	fmt.Println("a loop is preempted")
	stop.Store(true)
	kept := make([][]byte, 10)
	for n := range 400 {
		kept[n%len(kept)] = make([]byte, 64<<10)
	}
	runtime.GC()
	fmt.Println("collected", len(kept[9]))
	select {
	case <-time.After(10 * time.Millisecond):
		fmt.Println("timer")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	go answer(listener)
	connection, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
	connection.Write([]byte("hello"))
	echo, _ := io.ReadAll(connection)
	fmt.Println("echo", string(echo))
	child := exec.Command("tr", "a-z", "A-Z")
	child.Stdin = strings.NewReader("upper")
	text, err := child.Output()
	fmt.Println(string(text), err)
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGUSR1)
	syscall.Kill(os.Getpid(), syscall.SIGUSR1)
	fmt.Println("signal", <-signals)
}
