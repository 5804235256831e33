// Package calibrate measures the rates of a machine that predictions of cost use, by
// running small pipelines on it. A pipeline whose time has one unknown part, by the model of
// package fuse, gives that part: its time less what the rates known so far predict. So the
// model and the measurement cannot mean different things by a rate.
//
// [Measure] makes a [File]. Files of devices lie in the user's cache, by device and driver:
// [Keep] and [Find].
package calibrate
