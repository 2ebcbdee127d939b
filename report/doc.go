// Package report shows answers to people: tables for a terminal of 80 columns.
package report
