// Package chart draws: heat maps, lines, bars, Gantt charts, networks and animations.
//
// A chart becomes a [Scene], a list of shapes whose colours are roles, and a scene becomes SVG,
// PNG, PDF or part of a self-contained HTML page. All show the same shapes in the same places.
// Pictures follow the screen's dark or light mode, are light in print, and need no network. Their
// colours remain distinguishable under the common forms of colour blindness.
//
// The package knows numbers, names and units, but not plans.
package chart
