// Package calibrate finds the latency and bandwidth of a machine from measured times, and
// measures those of this host, so that what a plan predicts can be compared with what an
// emulation takes.
package calibrate
