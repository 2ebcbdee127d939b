// Package simtest is the contract of simulators as a test: Run runs a simulator on random
// traffic and checks what holds for any simulator's model. Both levels of package sim pass it.
// Tests of other packages take their traffic from here.
package simtest
