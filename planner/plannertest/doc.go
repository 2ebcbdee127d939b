// Package plannertest tests the contract of planners. Run takes a planner through cases and
// checks what everything after planning relies on. Every planner of this module passes it, and so
// should your own:
//
//	func TestMyPlanner(t *testing.T) {
//		plannertest.Run(t, plannertest.Of(myPlanner, plan.Known{}), plannertest.Cases()...)
//	}
package plannertest
