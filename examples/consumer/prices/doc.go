// Package prices is functions that kgen generates from prices.kg, for the CPU and, with their
// kernels embedded, for GPUs.
package prices

//go:generate go tool kgen emit --backend cuda --go --tests prices.kg
//go:generate go tool kgen emit --backend opencl --go --tests prices.kg
