// Package neighbours has published numbers of systems that reconfigure optical circuits for
// collectives or training, but from which no planner here is taken: SWOT, Spectra, PCCL, Bridge,
// DELTA and TopoOpt. The numbers of Opus and MixNet are in packages iterations and bills.
//
// Their abstracts give results without the settings of the evaluation. All rows are therefore
// computed under one convention, Convention. A row that needs more than that (traces, baselines,
// models) is not checkable, and says what is missing.
package neighbours
