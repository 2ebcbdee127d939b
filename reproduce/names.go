package reproduce

import "github.com/lightpath-net/lightpath/reproduce/claim"

// The types of claims and figures, under the names of this package.
type (
	// Entry is one published quantity and how it is computed here.
	Entry = claim.Entry
	// Row is a claim beside our computed values.
	Row = claim.Row
	// Part is a number behind the value of a claim.
	Part = claim.Part
	// Column is a claim's value by one of three readings.
	Column = claim.Column
	// Tally counts verdicts.
	Tally = claim.Tally
	// Verdict says how a published value and ours compare.
	Verdict = claim.Verdict
	// Paper is a paper with its claims and the figures drawn for it.
	Paper = claim.Paper
	// Panel is a figure of a paper, or a part of one.
	Panel = claim.Panel
	// Picture is a figure drawn from our numbers.
	Picture = claim.Picture
	// Best returns the time of the best plan as a function of the reconfiguration delay.
	Best = claim.Best
)

// The verdicts.
const (
	Matched      = claim.Matched
	Better       = claim.Better
	Differs      = claim.Differs
	NotCheckable = claim.NotCheckable
)
