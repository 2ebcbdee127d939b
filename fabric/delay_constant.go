package fabric

import (
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Constant is a delay of Base, whatever changes.
const Constant Model = "constant"

var constantModel = delayModel{
	name: Constant, syntax: "10us",
	of: func(r Reconfig) DelayModel { return constantDelay{base: r.Base.Time()} },
}

type constantDelay struct {
	singly
	base units.Time
}

// Delay implements DelayModel.
func (d constantDelay) Delay(_, _ *topology.Graph) units.Time { return d.base }

// Least implements DelayModel.
func (d constantDelay) Least() units.Time { return d.base }

// Most implements DelayModel.
func (d constantDelay) Most(_, _ int) units.Time { return d.base }

// Uniform implements DelayModel.
func (d constantDelay) Uniform() bool { return true }
