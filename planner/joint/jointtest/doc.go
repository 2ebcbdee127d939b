// Package jointtest has what tests of package joint and of those below it share.
package jointtest
