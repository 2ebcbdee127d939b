// Package evaluation computes the figures of Zhou, Addanki and Apostolaki (To Reconfigure or
// Not to Reconfigure, section 5) with the strategies of package exchange, for the command
// reproduce/exchange and for the claims of package reproduce.
package evaluation
