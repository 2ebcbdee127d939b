package fabric

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/arithmetic"
	"github.com/lightpath-net/lightpath/units"
)

// Link gives the properties of the base's circuits from one GPU to another.
type Link struct {
	From, To  int
	Bandwidth units.Bandwidth // of one circuit; 0: the fabric's
	// Delay replaces Delta as the propagation, if Delayed.
	Delay   units.Duration
	Delayed bool
}

// String writes the link as in the setting links.
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

// Links gives some circuits of the base a bandwidth or a delay of their own. The zero value is
// none. A value never changes, so copies share what was read. Compare values with Equal, which
// compares their text, not with ==.
type Links struct {
	_    incomparable
	read *links // nil: none
}

// links is a list that was read.
type links struct {
	text string // as written, with arrows normalised
	list []Link // one for each direction, in the order of the text
	of   map[[2]int]Link
}

// LinksOf makes a list. If circuits occur twice, the last entry counts.
func LinksOf(list ...Link) Links {
	last := map[[2]int]int{}
	for i, l := range list {
		last[[2]int{l.From, l.To}] = i
	}
	var kept []Link
	var text []string
	for i, l := range list {
		if last[[2]int{l.From, l.To}] == i {
			kept, text = append(kept, l), append(text, l.String())
		}
	}
	return linksOf(kept, strings.Join(text, ","))
}

// linksOf makes a list with the given text.
func linksOf(list []Link, text string) Links {
	if len(list) == 0 {
		return Links{}
	}
	made := &links{text: text, list: list, of: make(map[[2]int]Link, len(list))}
	for _, l := range list {
		made.of[[2]int{l.From, l.To}] = l
	}
	return Links{read: made}
}

// And joins both lists: for circuits in both, the second counts.
func (l Links) And(over Links) Links { return LinksOf(append(l.List(), over.List()...)...) }

// IsZero reports whether all circuits are equal.
func (l Links) IsZero() bool { return l.read == nil }

// String writes the list as it was read; "": none.
func (l Links) String() string {
	if l.IsZero() {
		return ""
	}
	return l.read.text
}

// Equal reports whether two lists have the same text.
func (l Links) Equal(other Links) bool { return l.String() == other.String() }

// List returns the links in the order of the list.
func (l Links) List() []Link {
	if l.IsZero() {
		return nil
	}
	return slices.Clone(l.read.list)
}

const linksSyntax = "use a list of 0>1:400Gbps (bandwidth, one way), 0-1:+2us (delay, both ways) and 0>1:400Gbps+2us"

const noLinks = "none"

// ParseLinks reads a list such as "0>1:400Gbps+2us,2-3:+1us"; "" and "none" are nothing.
// Fabric.Validate checks whether the base has these circuits.
func ParseLinks(text string) (Links, error) { return parseLinks(text, MaxNodes) }

func parseLinks(text string, nodes int) (Links, error) {
	if text == "" || text == noLinks {
		return Links{}, nil
	}
	var links []Link
	known := map[[2]int]bool{}
	for item := range strings.SplitSeq(text, ",") {
		if item == "" {
			return Links{}, fmt.Errorf("%.40q: the list has an empty entry; %s", text, linksSyntax)
		}
		l, twoWay, err := parseLink(item, nodes)
		if err != nil {
			return Links{}, fmt.Errorf("%.40q: %w; %s", item, err, linksSyntax)
		}
		ways := []Link{l}
		if twoWay {
			back := l
			back.From, back.To = l.To, l.From
			ways = append(ways, back)
		}
		for _, l := range ways {
			if known[[2]int{l.From, l.To}] {
				return Links{}, fmt.Errorf("%.40q: the circuits from %d to %d are listed twice", item, l.From, l.To)
			}
			known[[2]int{l.From, l.To}] = true
			links = append(links, l)
		}
	}
	return linksOf(links, oneArrow(text)), nil
}

func parseLink(item string, nodes int) (l Link, twoWay bool, err error) {
	pair, what, _ := strings.Cut(item, ":")
	from, to, oneWay := cutPair(pair)
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
	bandwidth, delay, delayed := strings.Cut(what, "+")
	if bandwidth != "" {
		if l.Bandwidth, err = units.ParsePositiveBandwidth(bandwidth); err != nil {
			return l, false, err
		}
	}
	if l.Delayed = delayed; delayed {
		if l.Delay, err = units.ParseDuration(delay); err != nil {
			return l, false, err
		}
	}
	return l, !oneWay, l.check(nodes)
}

// check reports a link that has no properties, or whose circuits cannot exist.
func (l Link) check(nodes int) error {
	for _, u := range []int{l.From, l.To} {
		if u < 0 || u >= nodes {
			return fmt.Errorf("%q is not a GPU in 0..%d", strconv.Itoa(u), nodes-1)
		}
	}
	switch {
	case l.From == l.To:
		return fmt.Errorf("a circuit from %d to itself carries nothing", l.From)
	case l.Bandwidth == 0 && !l.Delayed:
		return fmt.Errorf("neither a bandwidth nor a delay")
	case l.Bandwidth < 0 || l.Delay < 0:
		return fmt.Errorf("must not be negative")
	}
	return nil
}

// maxShares is the most circuits of a common bandwidth that one circuit may count for: sums
// over the ports of a GPU then fit the 32 bits of a graph's counts.
const maxShares = 1 << 20

// checkLinks reports invalid links. Circuits that switches set up are equal: only those of the
// base may differ.
func (f *Fabric) checkLinks() error {
	if f.Links.IsZero() {
		return nil
	}
	for _, l := range f.Links.read.list {
		if l.check(f.Nodes) != nil {
			_, err := parseLinks(f.Links.read.text, f.Nodes) // names the entry as it was written
			return field.In("links", err)
		}
	}
	intact := *f
	intact.Avoid, intact.Links = Failures{}, Links{}
	base, err := intact.BaseTopology()
	if err != nil {
		return err
	}
	common, largest := int64(f.Bandwidth), int64(f.Bandwidth)
	for _, l := range f.Links.read.list {
		if base.Count(l.From, l.To) == 0 {
			return field.Errorf("links", "%v: the base %.60s has no circuit from %d to %d", l, base.Name(), l.From, l.To)
		}
		if l.Bandwidth > 0 {
			common, largest = arithmetic.GCD(common, int64(l.Bandwidth)), max(largest, int64(l.Bandwidth))
		}
	}
	if largest/common > maxShares {
		return field.Errorf("links", "bandwidths have only %v in common; want multiples of a %dth part of the largest", units.Bandwidth(common), maxShares)
	}
	return nil
}
