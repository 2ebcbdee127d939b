// Package harvest writes and reads schedules in the form of HARVEST's authors: the circuits that
// are up in every step of a collective, and their cost. A schedule says nothing about data;
// combined with the steps of the collective, it becomes a plan.
package harvest
