package fabric

import (
	"errors"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/units"
)

// Gamma is the cost of reducing: a time per number of bytes, such as "400us/GiB". The zero
// value costs nothing.
//
// A node reduces what it has received in a step when all of it has arrived, and before it sends
// anything in the next step (Zhao et al., Efficient Direct-Connect Topologies for Collective
// Communications, appendix B.4). So a step takes longer by the time of the node that reduces
// the most.
type Gamma struct {
	Time units.Duration
	Per  units.Bytes // above 0 if Time is
}

// noGamma is the text for reducing at no cost.
const noGamma = "none"

// maxGammaPer limits Per, to keep printed values readable.
const maxGammaPer = units.Bytes(1) << 50

// ParseGamma reads TIME/SIZE, such as 400us/GiB or 0.4ps/B, or none.
func ParseGamma(text string) (Gamma, error) {
	if text == noGamma {
		return Gamma{}, nil
	}
	const want = "want TIME/SIZE, such as 400us/GiB, or none"
	long, size, ok := strings.Cut(text, "/")
	if !ok {
		return Gamma{}, errors.New(want)
	}
	var g Gamma
	var err error
	if g.Time, err = units.ParseDuration(long); err != nil {
		return Gamma{}, fmt.Errorf("%w; %s", err, want)
	}
	if size == "" || size[0] < '0' || size[0] > '9' {
		size = "1" + size
	}
	if g.Per, err = units.ParseBytes(size); err != nil {
		return Gamma{}, fmt.Errorf("%w; %s", err, want)
	}
	if g.Time == 0 {
		return Gamma{}, nil
	}
	return g, g.validate()
}

func (g Gamma) validate() error {
	switch {
	case g == Gamma{}:
		return nil
	case g.Time <= 0:
		return errors.New("the time must be above 0")
	case g.Per < 1 || g.Per > maxGammaPer:
		return fmt.Errorf("the size is not in 1B..%v", maxGammaPer)
	}
	return nil
}

// String writes the cost for ParseGamma.
func (g Gamma) String() string {
	if g.Time == 0 {
		return noGamma
	}
	per := g.Per.String()
	if rest, ok := strings.CutPrefix(per, "1"); ok && (rest[0] < '0' || rest[0] > '9') {
		per = rest
	}
	return g.Time.String() + "/" + per
}

// Of returns how long reducing the given bytes takes.
func (g Gamma) Of(bytes float64) units.Time {
	if g.Time == 0 {
		return 0
	}
	return g.Time.Time() * units.Time(bytes/float64(g.Per))
}
