// Package jointtest has what the tests of package joint and of the packages below it share.
package jointtest
