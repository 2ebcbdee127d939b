// Package harvest has the claims and figures of HARVEST.
package harvest
