// Package examples holds one folder for each example; README.md and the pages of docs
// explain them. consumer and beam are modules of their own, as a user's would be;
// docs/go-generate.md leads to consumer, whose files are generated with all others. So are
// those by which the module arrow tests itself.
package examples

//go:generate go -C consumer generate ./...
//go:generate go run ../cmd/kgen emit events/shop.kg --backend gocpu --package shop -o ../arrow/internal/shop
