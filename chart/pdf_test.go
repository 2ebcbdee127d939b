package chart_test

import (
	"bytes"
	"compress/zlib"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	"github.com/lightpath-net/lightpath/chart"
)

// TestPDFIsWholeAndItsTextCanBeRead follows a file as a reader does: from the table of objects to
// the streams, and from the glyphs shown through the fonts' tables to the text of the scene.
func TestPDFIsWholeAndItsTextCanBeRead(t *testing.T) {
	texts := []string{"µs for 4 MiB", "(a) \\ <b>", "naïve — 3×"}
	s := &chart.Scene{Width: 200, Height: 100, Title: "Größe"}
	for i, text := range texts {
		s.Add(chart.Text{X: 10, Y: float64(20 * i), Text: text, Size: 12, Bold: i == 1, Up: i == 2, Anchor: chart.Anchor(i), Fill: chart.Ink})
	}
	s.Add(chart.Rect{W: 5, H: 5, Fill: chart.Series(1).Faint(0.25)}, chart.Circle{X: 9, Y: 9, R: 3, Stroke: chart.Ink, Width: 1},
		chart.Path{Points: []chart.Point{{X: 1, Y: 2}, {X: 3, Y: 4}}, Stroke: chart.Grid, Width: 1, Dash: []float64{2, 1}})
	var file, again bytes.Buffer
	if err := s.PDF(&file); err != nil {
		t.Fatal(err)
	}
	if err := s.PDF(&again); err != nil || !bytes.Equal(file.Bytes(), again.Bytes()) {
		t.Errorf("the same scene gives other bytes: %v", err)
	}
	data := file.String()

	at, err := strconv.Atoi(strings.Fields(data[strings.LastIndex(data, "startxref"):])[1])
	if err != nil {
		t.Fatal(err)
	}
	rows := regexp.MustCompile(`(\d{10}) 00000 n `).FindAllStringSubmatch(data[at:], -1)
	if len(rows) == 0 {
		t.Fatal("no objects")
	}
	var content string
	meanings := map[string]string{} // glyph numbers of both fonts: they are fonts of the same makers
	for i, row := range rows {
		offset, _ := strconv.Atoi(row[1])
		object := data[offset:]
		if !strings.HasPrefix(object, fmt.Sprintf("%d 0 obj\n", i+1)) {
			t.Fatalf("object %d is not at %d", i+1, offset)
		}
		object = object[:strings.Index(object, "\nendobj")]
		_, packed, ok := strings.Cut(object, "stream\n")
		if !ok {
			continue
		}
		length, _ := strconv.Atoi(regexp.MustCompile(`/Length (\d+)`).FindStringSubmatch(object)[1])
		z, err := zlib.NewReader(strings.NewReader(packed[:length]))
		if err != nil {
			t.Fatal(err)
		}
		plain, err := io.ReadAll(z)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(plain), " Tj ET") {
			content = string(plain)
		}
		for _, m := range regexp.MustCompile(`<([0-9a-f]{4})> <([0-9a-f]+)>\nendbfchar`).FindAllStringSubmatch(string(plain), -1) {
			var units []uint16
			for j := 0; j < len(m[2]); j += 4 {
				unit, _ := strconv.ParseUint(m[2][j:j+4], 16, 16)
				units = append(units, uint16(unit))
			}
			meanings[m[1]] = string(utf16.Decode(units))
		}
	}
	var shown []string
	for _, m := range regexp.MustCompile(`<([0-9a-f]+)> Tj`).FindAllStringSubmatch(content, -1) {
		text := ""
		for j := 0; j < len(m[1]); j += 4 {
			text += meanings[m[1][j:j+4]]
		}
		shown = append(shown, text)
	}
	if got, want := strings.Join(shown, "|"), strings.Join(texts, "|"); got != want {
		t.Errorf("reads %q, want %q", got, want)
	}
	for _, want := range []string{"[2 1] 0 d", "0 -1 -1 0 10", "/MediaBox [0 0 150 75]", "/ca 0.251"} {
		if !strings.Contains(content+data, want) {
			t.Errorf("no %q", want)
		}
	}
}
