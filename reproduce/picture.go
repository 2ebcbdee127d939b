package reproduce

import (
	"context"
	"fmt"
	"strings"

	"github.com/lightpath-net/lightpath/internal/each"
	"github.com/lightpath-net/lightpath/reproduce/claim"
)

// FindPanels returns the figures with a name, as Find does for claims: All, the name of a paper,
// an ID, a prefix of IDs up to a slash, or the ID of one of a panel's pictures.
func FindPanels(name string) []claim.Panel {
	var found []claim.Panel
	for _, p := range Papers() {
		for _, f := range p.Panels {
			if name == All || f.ID == name || strings.HasPrefix(f.ID, strings.TrimSuffix(name, "/")+"/") || strings.HasPrefix(name, f.ID+"/") {
				found = append(found, f)
			}
		}
	}
	return found
}

// Draw draws figures one after the other. It skips figures that take long unless full is set.
// After each figure it reports how many are done.
func Draw(ctx context.Context, panels []claim.Panel, full bool, best claim.Best, done func(n, total int)) ([]claim.Picture, error) {
	chosen := each.Where(panels, func(p claim.Panel) bool { return full || !p.Full })
	var pictures []claim.Picture
	for i := range chosen {
		drawn, err := chosen[i].Pictures(ctx, best)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", chosen[i].ID, err)
		}
		pictures = append(pictures, drawn...)
		done(i+1, len(chosen))
	}
	return pictures, nil
}
