// Package directconnect has the claims and figures of Zhao et al. on direct-connect topologies.
package directconnect
