// Package explore runs a pipeline in many configurations (fusion levels, shapes
// of kernels, devices, data), checks that all of them agree, measures each until
// its median is known well enough, and reports what came out.
//
// A [Grid] lists configurations. [Run] has a [Runner] compile and run them and
// gives each [Result] to a [Log], a file of JSON Lines with all samples, from
// which a run that was interrupted goes on. [Compare] compares two such files, and
// [Report.Text] prints one as tables; package page makes a page of it.
package explore
