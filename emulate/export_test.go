package emulate

import "github.com/lightpath-net/lightpath/control"

// Refusing makes the switch ask before it executes a command of its controller.
func Refusing(o Options, refuse func(control.Change) error) Options {
	o.refuse = refuse
	return o
}
