// Package shrink reduces programs and data that show a fault, by testing
// repeatedly whether something simpler still shows it (delta debugging,
// after Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
// input", IEEE TSE 28(2), 2002). It depends on the language only, not on devices.
package shrink
