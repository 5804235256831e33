// Package docs reads the commands and the blocks of code of documents. Its tests
// are those of the documents: each command does what it shows, each pipeline
// loads, each link and place exists.
package docs
