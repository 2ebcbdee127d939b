package fabric

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/lightpath-net/lightpath/field"
	"github.com/lightpath-net/lightpath/internal/each"
)

// Spares replace what fails: ports of every switch, and islands, or GPUs if there are no
// islands. The zero value is none.
//
// A failed port is replaced by a spare port of its switch, to which its fibre is moved: it is
// as if it had not failed, as long as the switch has spares. The last islands (or GPUs) are
// spare and take no part. If a GPU or the electrical switch of an island fails, the island
// takes no part any more, and the next intact spare island replaces it.
type Spares struct {
	Ports   int // per switch
	Islands int // or GPUs, if there are no islands

	said string // the word used, islands or gpus, until it is known whether there are islands
}

const noSpares = "none"

const sparesSyntax = "use K (ports of every switch), islands:K, gpus:K (without islands), or 2,islands:1"

// ParseSpares reads spares such as "2", "islands:1" or "2,islands:1"; "" and "none" are none.
func ParseSpares(text string) (Spares, error) {
	var s Spares
	if text == "" || text == noSpares {
		return s, nil
	}
	for word := range strings.SplitSeq(text, ",") {
		into := &s.Ports
		number, ofIslands := strings.CutPrefix(word, "islands:")
		number, ofGPUs := strings.CutPrefix(number, "gpus:")
		if ofIslands || ofGPUs {
			into = &s.Islands
			s.said = strings.TrimSuffix(word[:len(word)-len(number)], ":")
		}
		n, err := strconv.Atoi(number)
		if err != nil || n < 1 || n > maxRadix || *into != 0 || ofIslands && ofGPUs {
			return Spares{}, fmt.Errorf("%.40q: %s", word, sparesSyntax)
		}
		*into = n
	}
	return s, nil
}

// IsZero reports whether there are no spares.
func (s Spares) IsZero() bool { return s.Ports == 0 && s.Islands == 0 }

// text writes what ParseSpares reads. Spares other than ports are islands if there are any.
func (s Spares) text(islands bool) string {
	var words []string
	if s.Ports > 0 {
		words = append(words, strconv.Itoa(s.Ports))
	}
	switch {
	case s.Islands > 0 && islands:
		words = append(words, fmt.Sprintf("islands:%d", s.Islands))
	case s.Islands > 0:
		words = append(words, fmt.Sprintf("gpus:%d", s.Islands))
	}
	return strings.Join(words, ",")
}

// Replacement is a spare that is in use.
type Replacement struct {
	Failed string `json:"failed"` // in the syntax of Avoid
	// Switch and Port are the spare port, counted from 0 among the spares of its switch; nil if an
	// island is replaced.
	Switch *int `json:"switch,omitempty"`
	Port   *int `json:"port,omitempty"`
	// Island takes no part any more, and By replaces it; they are GPUs if there are no islands.
	Island *int `json:"island,omitempty"`
	By     *int `json:"by,omitempty"`
}

// String describes the replacement.
func (r Replacement) String() string {
	if r.Switch != nil {
		return fmt.Sprintf("spare port %d of switch %d in place of %s", *r.Port, *r.Switch, r.Failed)
	}
	return fmt.Sprintf("spare %d in place of %d (%s)", *r.By, *r.Island, r.Failed)
}

// checkSpares reports invalid spares.
func (f *Fabric) checkSpares() error {
	defer func() { f.Spares.said = "" }()
	switch units := f.spareUnits(); {
	case f.Spares.Ports < 0 || f.Spares.Islands < 0:
		return field.Errorf("spares", "must not be negative")
	case f.Spares.said == "islands" && f.Island.IsZero():
		return field.Errorf("spares", "islands:%d: there are no islands; use gpus:%d", f.Spares.Islands, f.Spares.Islands)
	case f.Spares.said == "gpus" && !f.Island.IsZero():
		return field.Errorf("spares", "gpus:%d: islands are replaced as a whole; use islands:K", f.Spares.Islands)
	case f.Spares.Islands > 0 && units-f.Spares.Islands < 1 || f.Spares.Islands > 0 && (units-f.Spares.Islands)*f.spareSize() < MinNodes:
		return field.Errorf("spares", "%d of %d leave fewer than %d GPUs", f.Spares.Islands, units, MinNodes)
	}
	if f.Radix > 0 && f.Spares.Ports >= f.Radix {
		return field.Errorf("spares", "%d ports of a switch that has %d", f.Spares.Ports, f.Radix)
	}
	if p := f.Plugging(); p != nil && f.Spares.Ports > 0 && f.Radix > 0 && p.Radix()+f.Spares.Ports > f.Radix {
		return field.Errorf("spares", "%d ports beside the %d that %s plugs into one switch; it has %d", f.Spares.Ports, p.Radix(), f.Layout.Short(), f.Radix)
	}
	return nil
}

// spareSize returns how many GPUs are replaced together, and spareUnits the number of such
// groups.
func (f *Fabric) spareSize() int { return max(1, f.Island.Size) }

func (f *Fabric) spareUnits() int { return f.Nodes / f.spareSize() }

// putInPlace marks what spares replace: it is then as if it had not failed, and islands that
// are replaced or not needed take no part. Without spares it changes nothing.
func (f *Fabric) putInPlace() {
	if f.Spares.IsZero() {
		return
	}
	items := f.unplaced()
	items = f.placeIslands(items)
	f.placePorts(items)
	f.Avoid = failuresOf(items)
}

// unplaced returns the entries of Avoid as they were written.
func (f *Fabric) unplaced() []failure {
	var items []failure
	for i := 0; f.Avoid.read != nil && i < len(f.Avoid.read.items); i++ {
		if item := f.Avoid.read.items[i]; item.kind != spareKind {
			item.replaced = nil
			items = append(items, item)
		}
	}
	return items
}

// placeIslands replaces islands by spare ones.
func (f *Fabric) placeIslands(items []failure) []failure {
	if f.Spares.Islands == 0 {
		return items
	}
	size, first := f.spareSize(), f.spareUnits()-f.Spares.Islands
	bad := make([]bool, f.spareUnits())
	at := func(item *failure) int { // the island that must be replaced, or -1
		switch item.kind {
		case "gpu":
			return item.from / size
		case "island":
			return item.from
		}
		return -1
	}
	for i := range items {
		if u := at(&items[i]); u >= 0 {
			bad[u] = true
		}
		if items[i].kind == heldKind {
			for u := items[i].from; u <= items[i].to && u < f.Nodes; u++ {
				bad[u/size] = bad[u/size] || u/size >= first
			}
		}
	}
	by, next := map[int]int{}, first
	for i := range items {
		u := at(&items[i])
		if u < 0 || u >= first {
			continue
		}
		other, replaced := by[u]
		if !replaced {
			for next < len(bad) && bad[next] {
				next++
			}
			if next == len(bad) {
				continue
			}
			other = next
			by[u], next = other, next+1
		}
		items[i].replaced = &Replacement{Failed: items[i].text, Island: &u, By: &other}
	}
	inPlace := map[int]bool{}
	for u, other := range by {
		inPlace[other] = true
		for i := range items { // other failures there no longer matter
			if items[i].kind == "port" && items[i].from/size == u {
				items[i].replaced = &Replacement{Failed: items[i].text, Island: &u, By: &other}
			}
		}
	}
	for u := range f.spareUnits() {
		if _, replaced := by[u]; replaced || u >= first && !inPlace[u] {
			items = append(items, failure{kind: spareKind, from: u * size, to: (u+1)*size - 1, port: anyPort})
		}
	}
	return items
}

// placePorts replaces ports by spare ones.
func (f *Fabric) placePorts(items []failure) {
	p, used := f.Plugging(), map[int]int{}
	all := failuresOf(items)
	for i := range items {
		item := &items[i]
		if item.kind != "port" || item.replaced != nil || f.Spares.Ports == 0 {
			continue
		}
		on := 0
		if p != nil {
			port := item.port
			for n := f.AllPorts() - 1; port == anyPort && n >= 0; n-- { // the last ones that are not named
				if !all.read.named[[2]int{item.from, n}] {
					port = n - f.earlier(items[:i], item.from)
					break
				}
			}
			if port < 0 {
				continue
			}
			if on = p.Switch(item.from, port); on < 0 || all.Switch(on) {
				continue
			}
		}
		if used[on] < f.Spares.Ports {
			sw, nth := on, used[on]
			item.replaced = &Replacement{Failed: item.text, Switch: &sw, Port: &nth}
			used[on]++
		}
	}
}

// earlier counts the preceding entries for ports of a GPU that give no number.
func (f *Fabric) earlier(items []failure, u int) int {
	return each.Count(items, func(item failure) bool {
		return item.kind == "port" && item.port == anyPort && item.from == u
	})
}

// InPlace lists the spares in use, in the order of what has failed.
func (f *Fabric) InPlace() []Replacement {
	var all []Replacement
	for i := 0; f.Avoid.read != nil && i < len(f.Avoid.read.items); i++ {
		if r := f.Avoid.read.items[i].replaced; r != nil {
			all = append(all, *r)
		}
	}
	return all
}

// Mended reports whether something has failed, and spares replace all of it.
func (f *Fabric) Mended() bool { return f.Avoid.read != nil && f.Avoid.IsZero() }
