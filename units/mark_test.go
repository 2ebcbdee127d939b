package units_test

import (
	"io"
	"strings"
	"testing"

	"github.com/lightpath-net/lightpath/units"
)

func TestAByteOrderMarkIsSkippedOnce(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "a": "a", "src,dst": "src,dst", "\ufeffsrc,dst": "src,dst", "\ufeff\ufeffx": "\ufeffx", "\xef\xbb": "\xef\xbb",
	} {
		if got, err := io.ReadAll(units.SkipMark(strings.NewReader(text))); err != nil || string(got) != want {
			t.Errorf("%q is read as %q, %v", text, got, err)
		}
	}
}
