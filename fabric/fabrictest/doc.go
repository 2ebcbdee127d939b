// Package fabrictest is what tests of other packages need of fabrics: the values of settings,
// and the contract of delay models.
package fabrictest

import "github.com/lightpath-net/lightpath/fabric"

// Links reads what the setting links says. It panics where that makes no sense.
func Links(text string) fabric.Links {
	links, err := fabric.ParseLinks(text)
	if err != nil {
		panic("fabrictest: links " + text + ": " + err.Error())
	}
	return links
}

// Failures reads what the setting avoid says. It panics where that makes no sense.
func Failures(text string) fabric.Failures {
	failures, err := fabric.ParseFailures(text)
	if err != nil {
		panic("fabrictest: avoid " + text + ": " + err.Error())
	}
	return failures
}
