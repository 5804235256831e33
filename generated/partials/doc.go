// Package partials is what kgen emits with --partials: functions over all rows,
// and types for computing the same in shards.
package partials

//go:generate go run ../../cmd/kgen emit lineitem.kg --backend gocpu --partials --tests --package partials -o .
//go:generate go run ../../cmd/kgen emit words.kg --backend gocpu --partials --tests --package partials -o .
