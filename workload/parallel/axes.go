package parallel

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
)

// axis is a direction of the grid of ranks: neighbours along it are stride apart.
type axis struct{ size, stride int }

// axes are the directions of the grid by name: tp, cp, ep, dp (those with different data and the
// same experts) and pp.
type axes map[string]axis

// layOut gives the axes their strides, in the configured order.
func (c *Config) layOut() (axes, error) {
	sizes := map[string]int{"tp": c.TP, "cp": c.CP, "ep": c.EP, "dp": c.DP / c.EP, "pp": c.PP}
	names := strings.Split(c.Order, ",")
	all := axes{}
	stride := 1
	for _, name := range names {
		name = strings.TrimSpace(name)
		size, known := sizes[name]
		if _, twice := all[name]; !known || twice {
			return nil, fmt.Errorf("%.40q; want tp, cp, ep, dp and pp in some order", c.Order)
		}
		all[name] = axis{size, stride}
		stride *= size
	}
	for name, size := range sizes {
		if _, listed := all[name]; !listed {
			if size > 1 {
				return nil, fmt.Errorf("%.40q lacks %s, which is %d", c.Order, name, size)
			}
			all[name] = axis{1, stride}
		}
	}
	return all, nil
}

// place returns the position of a rank along an axis.
func (a axes) place(name string, rank int) int { return rank / a[name].stride % a[name].size }

// groups divides the ranks into groups that differ only along the given axes.
func (a axes) groups(ranks int, along ...string) [][]int {
	// A group has its lowest rank plus every sum of steps along the axes.
	members := []int{0}
	lines := each.Of(along, func(name string) axis { return a[name] })
	slices.SortFunc(lines, func(x, y axis) int { return x.stride - y.stride })
	for _, line := range lines {
		count := len(members)
		for k := 1; k < line.size; k++ {
			for _, m := range members[:count] {
				members = append(members, m+k*line.stride)
			}
		}
	}
	slices.Sort(members)
	var groups [][]int
	for r := range ranks {
		if slices.ContainsFunc(lines, func(l axis) bool { return r/l.stride%l.size != 0 }) {
			continue // not the lowest rank of its group
		}
		g := make([]int, len(members))
		for i, m := range members {
			g[i] = r + m
		}
		groups = append(groups, g)
	}
	return groups
}

// ends pairs the first with the last stage; other ranks are groups by themselves.
func (a axes) ends(ranks int) [][]int {
	var groups [][]int
	last := a["pp"].size - 1
	for r := range ranks {
		switch a.place("pp", r) {
		case 0:
			groups = append(groups, []int{r, r + last*a["pp"].stride})
		case last:
		default:
			groups = append(groups, []int{r})
		}
	}
	return groups
}
