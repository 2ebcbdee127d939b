//go:build unix

package launch

import (
	"os"
	"syscall"
	"time"

	"github.com/lightpath-net/lightpath/emulate/fault"
)

// kill ends a child and what it has started, even if it is stopped.
func kill(p *os.Process) { syscall.Kill(-p.Pid, syscall.SIGKILL) }

// misbehave makes this process die, or stop forever.
func misbehave(kind fault.Kind) {
	signal := syscall.SIGKILL
	if kind == fault.Stalled {
		signal = syscall.SIGSTOP
	}
	syscall.Kill(os.Getpid(), signal)
	time.Sleep(time.Hour) // signals are asynchronous
}
