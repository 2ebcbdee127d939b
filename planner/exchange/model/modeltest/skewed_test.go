package modeltest_test

import (
	"testing"

	"github.com/lightpath-net/lightpath/planner/exchange/model/modeltest"
)

// Every kind is skewed: some pair has more to send than another.
func TestDemandsOfEveryKindDiffer(t *testing.T) {
	for _, kind := range modeltest.Kinds {
		demand := modeltest.Skewed(t, kind, 8)
		if _, uniform := demand.Each(); uniform || demand.Total() == 0 {
			t.Errorf("%s: uniform, or nothing to send", kind)
		}
	}
}
