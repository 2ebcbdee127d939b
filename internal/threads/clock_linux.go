package threads

import (
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// current returns the kernel's number of this thread.
func current() int { return syscall.Gettid() }

// clock returns the processor time of a thread of this process. The number of its clock is
// computed from that of the thread, as in pthread_getcpuclockid (clock_getres(2), "dynamic
// clocks"; include/linux/posix-timers.h: the complement of the number, then 3 bits of kind).
func clock(thread int) time.Duration {
	const perThread, scheduled = 4, 2
	var now unix.Timespec
	if err := unix.ClockGettime(int32(^thread<<3|perThread|scheduled), &now); err != nil {
		return 0 // no such thread; the caller rules this out
	}
	return time.Duration(now.Nano())
}

// yield makes this thread give way: its priority is lower, it does not preempt others when it
// wakes (SCHED_BATCH), and others that wake do not wait for a long turn of this thread
// (sched(7); the length of turns counts since Linux 6.12 and is ignored before). A system that
// allows none of this leaves the thread unchanged, which slows down others but changes no
// answer.
func yield(lower int) {
	before, err := syscall.Getpriority(syscall.PRIO_PROCESS, 0)
	if err != nil {
		return
	}
	const zero = 20 // the system call returns 20 - nice
	nice := min(lowest, zero-before+lower)
	attr := unix.SchedAttr{Size: unix.SizeofSchedAttr, Policy: unix.SCHED_BATCH, Nice: int32(nice), Runtime: uint64(turn)}
	if unix.SchedSetAttr(0, &attr, 0) != nil {
		_ = syscall.Setpriority(syscall.PRIO_PROCESS, 0, nice)
	}
}

// lowest is the lowest priority, and turn is the shortest time for which the kernel lets a
// thread keep a processor.
const (
	lowest = 19
	turn   = 100 * time.Microsecond
)
