package page

import (
	"cmp"

	"github.com/lightpath-net/lightpath/fabric"
	"github.com/lightpath-net/lightpath/plan"
)

// settings lists the settings of a plan's fabric as flags write them.
func settings(p *plan.Plan) [][]string {
	var rows [][]string
	for _, s := range fabric.Settings() {
		value := s.Get(&p.Fabric)
		value = cmp.Or(value, "default")
		rows = append(rows, []string{s.Name, value})
	}
	return rows
}
