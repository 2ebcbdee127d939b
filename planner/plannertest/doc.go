// Package plannertest is the contract of planners as a test: Run takes a planner through
// cases and checks what everything after planning relies on. Every planner of this module
// passes it, and so should one's own:
//
//	func TestMyPlanner(t *testing.T) {
//		plannertest.Run(t, plannertest.Of(myPlanner, plan.Known{}), plannertest.Cases()...)
//	}
package plannertest
