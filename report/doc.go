// Package report prints answers for people: tables for an 80-column terminal.
package report
