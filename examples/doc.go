// Package examples holds one folder for each example; docs/tutorial.md leads
// through most of them. consumer and beam are modules of their own, as a user's
// would be; consumer's files are generated with all others.
package examples

//go:generate go -C consumer generate ./...
