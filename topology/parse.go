package topology

import (
	"fmt"
	"slices"
	"strings"

	"github.com/lightpath-net/lightpath/internal/arithmetic"
)

// ParseExpr reads a topology expression:
//
//	expr   = NAME | NAME "(" NUMBER {"," NUMBER} ")" | NAME "(" NUMBER ";" NUMBER {"," NUMBER} ")"
//	       | NAME "(" expr {"," expr} {"," NUMBER} ")" | "DistReg" "(" NAME ")"
//	       | "Code" "(" NAME "," NUMBER "," NUMBER ")"
//
// What a name takes is fixed by its family. Blanks may stand between tokens. The
// error is one line with the column of the fault and what would be right. Every rule
// of a family and the limits on size are checked here, so a parsed expression can be
// built.
func ParseExpr(s string) (Expr, error) { return parse(s, nil) }

func parse(s string, families *Registry) (Expr, error) {
	p := parser{text: s, families: families}
	e, _, fault := p.expr(1)
	if fault == nil && p.next() != 0 {
		fault = wrong(p.pos, "unexpected %s after the end of the expression", p.seen())
	}
	if fault != nil {
		return Expr{}, fmt.Errorf("topology expression %s: column %d: %s", quote(s), fault.at+1, fault.text)
	}
	return e, nil
}

// quote keeps an error on one line of bearable length.
func quote(s string) string {
	const longest = 120
	if len(s) > longest {
		s = s[:longest] + "..."
	}
	return fmt.Sprintf("%q", s)
}

// parser is a recursive descent over text; in its faults, at is a byte offset.
type parser struct {
	text     string
	pos      int
	families *Registry
}

// next skips blanks and returns the byte that follows, 0 at the end.
func (p *parser) next() byte {
	for p.pos < len(p.text) && (p.text[p.pos] == ' ' || p.text[p.pos] == '\t') {
		p.pos++
	}
	if p.pos == len(p.text) {
		return 0
	}
	return p.text[p.pos]
}

// seen describes the token that stands where something else was expected.
func (p *parser) seen() string {
	if p.next() == 0 {
		return "end of the expression"
	}
	if w := p.word(); w != "" {
		return fmt.Sprintf("%q", w)
	}
	for _, r := range p.text[p.pos:] {
		return fmt.Sprintf("%q", r)
	}
	return ""
}

// word returns the letters and digits that come next, without taking them.
func (p *parser) word() string {
	p.next()
	end := p.pos
	for end < len(p.text) && (letter(p.text[end]) || digit(p.text[end])) {
		end++
	}
	return p.text[p.pos:end]
}

func letter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// take consumes c or says what was expected.
func (p *parser) take(c byte, usage string) *fault {
	if p.next() != c {
		return wrong(p.pos, "expected %q, found %s; write %s", c, p.seen(), usage)
	}
	p.pos++
	return nil
}

// expr reads an expression that stands inside depth-1 operators.
func (p *parser) expr(depth int) (Expr, size, *fault) {
	name := p.word()
	start := p.pos
	if name == "" || !letter(name[0]) {
		return Expr{}, size{}, wrong(start, "expected a family or an operator, found %s", p.seen())
	}
	rule, known := p.families.rule(name)
	if !known {
		names := p.families.Names()
		return Expr{}, size{}, wrong(start, "unknown family %q%s; known: %s", name, suggestion(name, names), strings.Join(names, ", "))
	}
	if depth > MaxDepth {
		return Expr{}, size{}, wrong(start, "operators nest deeper than %d", MaxDepth)
	}
	p.pos += len(name)
	e := Expr{Family: name, families: p.families}
	at, operands, f := p.arguments(&e, rule, depth)
	if f != nil {
		return Expr{}, size{}, f
	}
	s, f := rule.size(e.arguments(), operands)
	if f == nil {
		f = s.fault()
	}
	if f != nil {
		f.text = name + ": " + f.text
		if f.at >= 0 {
			f.at = at[f.at]
		} else {
			f.at = start
		}
		return Expr{}, size{}, f
	}
	e.nodes = int(s.nodes)
	return e, s, nil
}

// arguments reads what stands in parentheses after a name into e. It returns where
// each number stands and the sizes of the operands.
func (p *parser) arguments(e *Expr, rule rule, depth int) (at []int, operands []size, f *fault) {
	if rule.form == bareForm {
		return nil, nil, nil
	}
	if f := p.take('(', rule.usage); f != nil {
		return nil, nil, f
	}
	switch rule.form {
	case labelForm:
		if f := p.label(e, rule); f != nil {
			return nil, nil, f
		}
	case codeForm:
		if e.Label = p.word(); e.Label == "" {
			return nil, nil, wrong(p.pos, "expected letters and digits, found %s; write %s", p.seen(), rule.usage)
		}
		p.pos += len(e.Label)
		if f := p.take(',', rule.usage); f != nil {
			return nil, nil, f
		}
		if at, f = p.numbers(e, rule); f != nil {
			return nil, nil, f
		}
	case graphForm, graphsForm, countForm:
		for more := true; more; {
			operand, s, f := p.expr(depth + 1)
			if f != nil {
				return nil, nil, f
			}
			e.Graphs, operands = append(e.Graphs, operand), append(operands, s)
			if more = rule.form == graphsForm && p.next() == ','; more {
				p.pos++
			}
		}
		if rule.form == graphsForm && len(operands) < rule.least {
			return nil, nil, p.take(',', rule.usage)
		}
		if rule.form == countForm {
			if f := p.take(',', rule.usage); f != nil {
				return nil, nil, f
			}
			if at, f = p.numbers(e, rule); f != nil {
				return nil, nil, f
			}
		}
	default:
		if at, f = p.numbers(e, rule); f != nil {
			return nil, nil, f
		}
	}
	return at, operands, p.take(')', rule.usage)
}

// label reads the name of a distance-regular graph.
func (p *parser) label(e *Expr, rule rule) *fault {
	e.Label = p.word()
	if e.Label == "" {
		return wrong(p.pos, "expected a name, found %s; write %s", p.seen(), rule.usage)
	}
	if known := DistanceRegularNames(); !slices.Contains(known, e.Label) {
		return wrong(p.pos, "unknown distance-regular graph %q%s; known: %s",
			e.Label, suggestion(e.Label, known), strings.Join(known, ", "))
	}
	p.pos += len(e.Label)
	return nil
}

// numbers reads the numbers of a family and where they stand.
func (p *parser) numbers(e *Expr, rule rule) (at []int, f *fault) {
	for {
		if !digit(p.next()) {
			return nil, wrong(p.pos, "expected a number, found %s; write %s", p.seen(), rule.usage)
		}
		at = append(at, p.pos)
		x := 0
		for ; p.pos < len(p.text) && digit(p.text[p.pos]); p.pos++ {
			if x = 10*x + int(p.text[p.pos]-'0'); x > MaxCircuits {
				return nil, wrong(at[len(at)-1], "a number is at most %d", MaxCircuits)
			}
		}
		e.Numbers = append(e.Numbers, x)
		separator := byte(',')
		if rule.form == jumpsForm && len(at) == 1 {
			separator = ';'
		}
		switch {
		case len(at) < rule.least:
			if f := p.take(separator, rule.usage); f != nil {
				return nil, f
			}
		case len(at) == rule.most || p.next() != separator:
			return at, nil
		default:
			p.pos++
		}
	}
}

// suggestion names the word that differs least from an unknown name, if any differs by no more
// than case and two letters.
func suggestion(name string, words []string) string {
	const longest, furthest = 32, 2
	if len(name) > longest {
		return ""
	}
	best, least := "", furthest+1
	for _, known := range words {
		if d := edits(strings.ToLower(name), strings.ToLower(known)); d < least && d < len(known) {
			best, least = known, d
		}
	}
	if best == "" {
		return ""
	}
	return fmt.Sprintf(" (did you mean %q?)", best)
}

// edits is the Levenshtein distance, by the usual table one row at a time.
func edits(a, b string) int {
	row := arithmetic.UpTo(len(b) + 1)
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
