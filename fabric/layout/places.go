package layout

import (
	"fmt"
	"strconv"
	"strings"
)

// places are the rails of islands. Of every Size consecutive GPUs, those at the same place, or
// at the same group of consecutive places, share switches: one for each of their ports.
type places struct{ size, together int }

var placesKind = kind{
	syntax: "places:8 (GPUs of the same place of 8) or places:8/2 (of two places)", reads: named("places"), parse: parsePlaces,
}

func parsePlaces(text string) (plugger, error) {
	size, together, several := strings.Cut(after(text), "/")
	p := &places{together: 1}
	all, err := numbers(size, ",", 2)
	if err != nil || len(all) != 1 {
		return nil, fmt.Errorf("%.20q is not a number of places", size)
	}
	p.size = all[0]
	if several {
		if p.together, err = strconv.Atoi(together); err != nil || p.together < 1 || p.size%p.together != 0 {
			return nil, fmt.Errorf("%.20q places do not divide %d", together, p.size)
		}
	}
	return p, nil
}

func (l *places) String() string {
	if l.together == 1 {
		return fmt.Sprintf("places:%d", l.size)
	}
	return fmt.Sprintf("places:%d/%d", l.size, l.together)
}

func (l *places) plug(p *Plugging) error {
	if p.nodes%l.size != 0 {
		return fmt.Errorf("%s is for a multiple of %d GPUs, the fabric has %d", l, l.size, p.nodes)
	}
	for u := range p.nodes {
		for port := range p.ports {
			p.at[u*p.ports+port] = int32(u%l.size/l.together*p.ports + port)
		}
	}
	return nil
}

// Places returns the layout that joins GPUs at the same place among size consecutive ones, or
// at the same group of places.
func Places(size, together int) Layout { return newLayout(&places{size, together}) }

// Places returns the number of places if the layout joins GPUs at the same places; else 0.
func (l Layout) Places() int {
	if l.IsZero() {
		return 0
	}
	if p, ok := l.read.plugger.(*places); ok {
		return p.size
	}
	return 0
}
