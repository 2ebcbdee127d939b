package claim

import (
	"context"
	"errors"
	"testing"
)

// A value is computed once; an error is not kept.
func TestOnceKeepsValuesButNoErrors(t *testing.T) {
	calls := 0
	value := Once(func(context.Context) (int, error) {
		if calls++; calls == 1 {
			return 0, errors.New("not yet")
		}
		return calls, nil
	})
	if _, err := value(t.Context()); err == nil {
		t.Error("no error")
	}
	for range 2 {
		if v, err := value(t.Context()); v != 2 || err != nil {
			t.Errorf("%d, %v", v, err)
		}
	}
}
