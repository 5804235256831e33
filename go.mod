module github.com/kgen-go/kgen

go 1.26.8

require (
	github.com/dave/jennifer v1.7.1 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
)
