// Package chart draws: heat maps, lines, bars, Gantt charts, networks and animations.
//
// A chart becomes a [Scene], a list of shapes with colours that are roles, and a scene
// becomes SVG, PNG, PDF or a part of a self-contained HTML page. All come from the same
// shapes at the same places, so what one shows the others show. The pictures are dark or
// light as the reader's screen is, light in print, need no network, and keep apart under
// the common colour blindnesses what their colours keep apart.
//
// The package knows numbers, names and units; nothing of plans.
package chart
