// Package evaluation computes the figures of Zhou, Addanki and Apostolaki (To Reconfigure or
// Not to Reconfigure, section 5) with the strategies of package exchange, for the claims
// of package reproduce. Its tests print the tables of docs/exchange.md.
package evaluation
