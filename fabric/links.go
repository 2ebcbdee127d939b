package fabric

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/gcd"
	"github.com/lightpath-net/lightpath/topology"
	"github.com/lightpath-net/lightpath/units"
)

// Link says what the circuits of the base from one GPU to another are like.
type Link struct {
	From, To  int
	Bandwidth units.Bandwidth // of one circuit; 0: the fabric's
	// Delay is the propagation, in place of Delta, where Delayed.
	Delay   units.Duration
	Delayed bool
}

// String writes the link as the setting links has it.
func (l Link) String() string {
	text := fmt.Sprintf("%d>%d:", l.From, l.To)
	if l.Bandwidth > 0 {
		text += l.Bandwidth.String()
	}
	if l.Delayed {
		text += "+" + l.Delay.String()
	}
	return text
}

// FormatLinks writes links as the setting links has them.
func FormatLinks(links []Link) string {
	text := make([]string, len(links))
	for i, l := range links {
		text[i] = l.String()
	}
	return strings.Join(text, ",")
}

// MergeLinks returns two lists as the setting links has them in one: of circuits that both
// name, what the second says holds.
func MergeLinks(first, second string) (string, error) {
	kept, err := parseLinks(first, MaxNodes)
	if err != nil {
		return "", err
	}
	over, err := parseLinks(second, MaxNodes)
	if err != nil {
		return "", err
	}
	kept = slices.DeleteFunc(kept, func(l Link) bool {
		return slices.ContainsFunc(over, func(o Link) bool { return o.From == l.From && o.To == l.To })
	})
	return FormatLinks(append(kept, over...)), nil
}

const linksSyntax = "use a list of 0>1:400Gbps (bandwidth, one way), 0-1:+2us (delay, both ways) and 0>1:400Gbps+2us"

const noLinks = "none"

// parseLinks reads a list such as "0>1:400Gbps+2us,2-3:+1us"; "" and "none" are nothing.
func parseLinks(text string, nodes int) ([]Link, error) {
	if text == "" || text == noLinks {
		return nil, nil
	}
	var links []Link
	known := map[[2]int]bool{}
	for _, item := range strings.Split(text, ",") {
		if item == "" {
			return nil, fmt.Errorf("%.40q: the list has an empty entry; %s", text, linksSyntax)
		}
		l, twoWay, err := parseLink(item, nodes)
		if err != nil {
			return nil, fmt.Errorf("%.40q: %w; %s", item, err, linksSyntax)
		}
		ways := []Link{l}
		if twoWay {
			back := l
			back.From, back.To = l.To, l.From
			ways = append(ways, back)
		}
		for _, l := range ways {
			if known[[2]int{l.From, l.To}] {
				return nil, fmt.Errorf("%.40q: the circuits from %d to %d are there twice", item, l.From, l.To)
			}
			known[[2]int{l.From, l.To}] = true
			links = append(links, l)
		}
	}
	return links, nil
}

func parseLink(item string, nodes int) (l Link, twoWay bool, err error) {
	pair, what, _ := strings.Cut(item, ":")
	from, to, oneWay := cutPair(pair)
	twoWay = !oneWay
	for _, end := range []struct {
		text string
		into *int
	}{{from, &l.From}, {to, &l.To}} {
		u, err := strconv.Atoi(end.text)
		if err != nil || u < 0 || u >= nodes {
			return l, false, fmt.Errorf("%.20q is not a GPU in 0..%d", end.text, nodes-1)
		}
		*end.into = u
	}
	if l.From == l.To {
		return l, false, fmt.Errorf("a circuit from %d to itself carries nothing", l.From)
	}
	bandwidth, delay, delayed := strings.Cut(what, "+")
	if bandwidth == "" && !delayed {
		return l, false, fmt.Errorf("neither a bandwidth nor a delay")
	}
	if bandwidth != "" {
		if l.Bandwidth, err = units.ParsePositiveBandwidth(bandwidth); err != nil {
			return l, false, err
		}
	}
	if delayed {
		l.Delayed = true
		if l.Delay, err = units.ParseDuration(delay); err != nil {
			return l, false, err
		}
	}
	return l, twoWay, nil
}

// maxShares is the most circuits of a common bandwidth that one circuit may count for: their
// sums over the ports of a GPU stay within the 32 bits of a graph's counts.
const maxShares = 1 << 20

// checkLinks reports links that make no sense. Circuits that are set up by switches are
// alike: only those of the base may differ.
func (f *Fabric) checkLinks() error {
	links, err := parseLinks(f.Links, f.Nodes)
	if err != nil {
		return field.In("links", err)
	}
	if links == nil {
		return nil
	}
	intact := *f
	intact.Avoid, intact.Links = "", ""
	base, err := intact.BaseTopology()
	if err != nil {
		return err
	}
	common, largest := int64(f.Bandwidth), int64(f.Bandwidth)
	for _, l := range links {
		if base.Count(l.From, l.To) == 0 {
			return field.Errorf("links", "%v: the base %.60s has no circuit from %d to %d", l, base.Name(), l.From, l.To)
		}
		if l.Bandwidth > 0 {
			common, largest = gcd.Of(common, int64(l.Bandwidth)), max(largest, int64(l.Bandwidth))
		}
	}
	if largest/common > maxShares {
		return field.Errorf("links", "bandwidths have only %v in common; want multiples of a %dth part of the largest", units.Bandwidth(common), maxShares)
	}
	return nil
}

// Circuits says what the circuits between two GPUs are like where they are not all alike.
// A circuit of the base is the same in every stage that holds it.
type Circuits struct {
	bandwidth units.Bandwidth
	delay     units.Duration
	links     map[[2]int]Link
}

// Circuits returns what circuits are like, nil where they are all alike. The fabric must be
// valid. It takes time in proportion to the links.
func (f *Fabric) Circuits() *Circuits {
	links, err := parseLinks(f.Links, f.Nodes)
	if err != nil || links == nil {
		return nil
	}
	c := &Circuits{f.Bandwidth, f.Delta, make(map[[2]int]Link, len(links))}
	for _, l := range links {
		c.links[[2]int{l.From, l.To}] = l
	}
	return c
}

// List returns what the setting links has, by the GPUs that circuits lead from and to.
func (c *Circuits) List() []Link {
	list := slices.Collect(maps.Values(c.links))
	slices.SortFunc(list, func(a, b Link) int { return cmp.Or(cmp.Compare(a.From, b.From), cmp.Compare(a.To, b.To)) })
	return list
}

// Len returns the number of pairs of GPUs whose circuits differ.
func (c *Circuits) Len() int { return len(c.links) }

// Of returns what one circuit from a GPU to another carries and how long it takes to get
// there.
func (c *Circuits) Of(from, to int) (units.Bandwidth, units.Duration) {
	bandwidth, delay := c.bandwidth, c.delay
	if l, ok := c.links[[2]int{from, to}]; ok {
		if l.Bandwidth > 0 {
			bandwidth = l.Bandwidth
		}
		if l.Delayed {
			delay = l.Delay
		}
	}
	return bandwidth, delay
}

// Differ reports whether a topology has a circuit that is not as all others are.
func (c *Circuits) Differ(g *topology.Graph) bool {
	for pair := range c.links {
		if g.Count(pair[0], pair[1]) > 0 {
			return true
		}
	}
	return false
}

// Ideal returns the fabric with all circuits as good as the best of each kind: no plan takes
// less time than there.
func (f *Fabric) Ideal() *Fabric {
	if f.Links == "" {
		return f
	}
	ideal := *f
	ideal.Links = ""
	if c := f.Circuits(); c != nil {
		for pair := range c.links {
			bandwidth, delay := c.Of(pair[0], pair[1])
			ideal.Bandwidth, ideal.Delta = max(ideal.Bandwidth, bandwidth), min(ideal.Delta, delay)
		}
	}
	return &ideal
}
