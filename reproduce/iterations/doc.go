// Package iterations has published times of whole training iterations as claims.
package iterations
