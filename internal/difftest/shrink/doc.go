// Package shrink makes programs and data smaller that show a fault, by asking
// again and again whether something simpler still shows it (delta debugging,
// after Zeller and Hildebrandt, "Simplifying and isolating failure-inducing
// input", IEEE TSE 28(2), 2002). It knows the language and nothing of devices.
package shrink
