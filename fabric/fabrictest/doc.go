// Package fabrictest has what tests of other packages need for fabrics: the values of settings,
// and the contract of delay models.
package fabrictest

import "github.com/lightpath-net/lightpath/fabric"

// Links parses the setting links. It panics if the text is invalid.
func Links(text string) fabric.Links {
	links, err := fabric.ParseLinks(text)
	if err != nil {
		panic("fabrictest: links " + text + ": " + err.Error())
	}
	return links
}

// Failures parses the setting avoid. It panics if the text is invalid.
func Failures(text string) fabric.Failures {
	failures, err := fabric.ParseFailures(text)
	if err != nil {
		panic("fabrictest: avoid " + text + ": " + err.Error())
	}
	return failures
}
