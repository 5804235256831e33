// Package examples holds one folder for each example; README.md and the pages of docs
// explain them. consumer and beam are modules of their own, as a user's would be;
// docs/go-generate.md leads to consumer, whose files are generated with all others.
package examples

//go:generate go -C consumer generate ./...
