package chart

import (
	"slices"
	"testing"
)

// texts are all texts of a scene.
func texts(s *Scene) []string {
	var list []string
	for _, m := range s.Shapes {
		if t, ok := m.(Text); ok {
			list = append(list, t.Text)
		}
	}
	return list
}

func TestCloseValuesHaveAnotherDigit(t *testing.T) {
	h := &HeatMap{X: []float64{1, 2}, Y: []float64{1}, Values: [][]float64{{1, 1.04}}, Unit: Times}
	if s, err := h.Scene(); err != nil || !slices.Contains(texts(s), "1.04") {
		t.Errorf("1.04 is not among %q, %v", texts(s), err)
	}
	h.Values[0][1] = 3.04
	if s, err := h.Scene(); err != nil || !slices.Contains(texts(s), "3.0") {
		t.Errorf("3.0 is not among %q, %v", texts(s), err)
	}
}

// The key of a diverging ramp ends where the values do, not where the ramp does on its other side.
func TestKeyShowsNoMoreThanThereIs(t *testing.T) {
	h := &HeatMap{X: []float64{1, 2}, Y: []float64{1}, Values: [][]float64{{0.8, 20}}, Unit: Times, Ramp: Diverging, Center: 1, Log: true}
	s, err := h.Scene()
	if err != nil || !slices.Contains(texts(s), Times.Format(0.8)) || !slices.Contains(texts(s), Times.Format(20)) || slices.Contains(texts(s), Times.Format(0.05)) {
		t.Errorf("%q, %v", texts(s), err)
	}
}
