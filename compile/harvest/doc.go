// Package harvest writes and reads schedules in the form of HARVEST's authors: the
// circuits that are up in every step of a collective, and what they cost. It says nothing
// of data; with the steps of the collective, a schedule becomes a plan.
package harvest
