package launch

import "syscall"

// inherited is where a child finds the first file that it inherits: opening it there gives
// every child a place in it of its own.
const inherited = "/dev/fd/3"

// attributes are those of a child. A group of its own keeps Ctrl-C for this process, which
// ends the others in order; if it cannot, the system kills them.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
