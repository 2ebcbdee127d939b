// Package retri has the claims and figures of ReTri.
package retri
