// Package simtest is the contract of simulators as a test: Run takes one through traffic
// drawn from seeds and checks what holds whatever the simulator's model is. Both levels of
// package sim pass it.
package simtest
