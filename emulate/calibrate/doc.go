// Package calibrate fits the latency and bandwidth of a machine to measured times, and measures
// this host, so that the time of a plan can be compared with that of its emulation.
package calibrate
