package emulate

import "github.com/lightpath-net/lightpath/control"

// Refusing has the switch ask before it carries out a command of its controller.
func Refusing(o Options, refuse func(control.Change) error) Options {
	o.refuse = refuse
	return o
}
