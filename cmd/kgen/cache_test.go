package main

import (
	"slices"
	"testing"

	"github.com/kgen-go/kgen/internal/device/cache"
)

// kgen cache, and the limit of all caches, know the cache of every driver.
func TestDriversHaveCaches(t *testing.T) {
	for _, d := range drivers {
		if !slices.Contains(cache.Kinds, d.name) {
			t.Errorf("cache.Kinds lacks %s", d.name)
		}
	}
}
