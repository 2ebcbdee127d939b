// Package lightbends has the claims and figures of Light Bends.
package lightbends
