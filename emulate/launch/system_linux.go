package launch

import "syscall"

// inherited is the name of the first file that a child inherits: opening this name gives every
// child its own read position.
const inherited = "/dev/fd/3"

// attributes returns the attributes of a child. A process group of its own keeps Ctrl-C for this
// process, which ends the others in order; if it cannot, the system kills them.
func attributes() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
