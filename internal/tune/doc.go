// Package tune searches the settings of a schedule for those with which a program
// runs fastest on a device.
//
// A [Space] has an axis per setting; a configuration is a [Point] in it. [Gradient]
// is the search of Rosenfeld, Breß, Zeuch, Rabl and Markl, "Performance analysis and
// automatic tuning of hash aggregation on GPUs" (DaMoN 2019); [Full] and [Random]
// are there to check it. What was measured is kept in a [File], from which a program
// over data of the same [Class] takes its settings, and [Penalties] compares devices.
package tune
