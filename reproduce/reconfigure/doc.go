// Package reconfigure has the claims and figures of Zhou, Addanki and Apostolaki (To Reconfigure or
// Not to Reconfigure).
package reconfigure
