package harvest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/lightpath-net/lightpath/internal/strict"
)

// maxFile bounds how many bytes are read.
const maxFile = 256 << 20

// Read reads a schedule. It is as strict as the reader of plans: every key is known and occurs
// once, and errors name the line and the key.
func Read(r io.Reader) (*Schedule, error) {
	limited := &io.LimitedReader{R: r, N: maxFile + 1}
	json := strict.NewReader(limited)
	s := &Schedule{}
	err := json.Value(s)
	if err == nil {
		err = json.End()
	}
	switch {
	case limited.N <= 0:
		return nil, fmt.Errorf("a schedule of more than %d MiB", maxFile>>20)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return nil, fmt.Errorf("a schedule: line %d: the file ends in the middle of it", json.Line())
	case err != nil:
		return nil, fmt.Errorf("a schedule: line %d: %w", json.Line(), err)
	}
	return s, s.Validate()
}

// Validate reports the first invalid value.
func (s *Schedule) Validate() error {
	if len(s.Steps) == 0 {
		return errors.New("steps: the schedule has no steps")
	}
	for _, claim := range []struct {
		key   string
		value float64
	}{
		{"cost", s.Cost}, {"num_of_reconfigs", float64(s.Reconfigs)}, {"alpha_r", s.AlphaR}, {"reconf_cost_total", s.ReconfigCostTotal},
	} {
		if claim.value < 0 || math.IsInf(claim.value, 0) || math.IsNaN(claim.value) {
			return fmt.Errorf("%s: %v; want 0 or more", claim.key, claim.value)
		}
	}
	for i, step := range s.Steps {
		if step.Step != i+1 {
			return fmt.Errorf("steps[%d].step: %d; steps are numbered from 1, so want %d", i, step.Step, i+1)
		}
	}
	return nil
}

// Recognise reports whether a file begins like a schedule and not like a plan: its first key is
// one that only schedules have.
func Recognise(beginning []byte) bool {
	text := bytes.TrimLeft(beginning, " \t\r\n")
	if len(text) == 0 || text[0] != '{' {
		return false
	}
	text = bytes.TrimLeft(text[1:], " \t\r\n")
	for _, key := range []string{"cost", "num_of_reconfigs", "alpha_r", "reconf_cost_total", "steps"} {
		if bytes.HasPrefix(text, []byte(`"`+key+`"`)) {
			return true
		}
	}
	if !bytes.HasPrefix(text, []byte(`"collective"`)) {
		return false // in a plan, the collective is an object
	}
	text = bytes.TrimLeft(text[len(`"collective"`):], " \t\r\n")
	text = bytes.TrimLeft(bytes.TrimPrefix(text, []byte(":")), " \t\r\n")
	return bytes.HasPrefix(text, []byte(`"`))
}
