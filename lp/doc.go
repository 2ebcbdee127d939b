// Package lp solves linear programs by the simplex method, in three standard forms:
//
//   - Packing: the largest profit within capacities that are not negative. Columns come one by
//     one, so a caller may generate them.
//   - Covering: the least cost that meets all needs, where no cost is negative.
//   - Balance: amounts divided over columns such that the largest row sum is as small as possible,
//     and then the weight. It is the form of routing problems, with far more columns than rows;
//     columns may be generated here too.
//
// Each starts from a basis that the form itself provides, so none has a first phase. All are
// deterministic. What needs another method has its own package: flow's interior point method,
// for programs in which most pairs of nodes have demands.
package lp
