// Command exchange regenerates the evaluation of Zhou, Addanki and Apostolaki (To
// Reconfigure or Not to Reconfigure, section 5) with the strategies of package exchange.
//
//	exchange ratios [-svg FILE]              Figure 13a: slots over the bound of Theorem 1
//	exchange gap [-nodes N]                  Figure 13b: both for every number of topologies
//	exchange completion [-csv FILE] [-full]  Figures 11, 12 and 14: completion times
//	exchange planes [-nodes N] [-seeds N]    what planes that reconfigure independently gain
//
// Where the paper simulates packets, times here follow its cost model: d topologies and s
// slots take d*R + s*T, with T the time of a chunk over a hop.
package main
