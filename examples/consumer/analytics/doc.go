// Package analytics is functions that kgen generates from analytics.kg.
package analytics

//go:generate go run github.com/kgen-go/kgen/cmd/kgen emit --backend gocpu --tests --package analytics analytics.kg
