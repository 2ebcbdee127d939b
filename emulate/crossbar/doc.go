// Package crossbar is the software optical switch: which port is connected with which, until
// when a port is dark, and when bytes that enter a circuit come out of it. State decides all of
// this from the times that it is given; Serve moves the bytes.
package crossbar
