package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/kgen-go/kgen"
	"github.com/kgen-go/kgen/internal/device/cache"
)

// kgen cache, and the limit of all caches, know the cache of every driver.
func TestDriversHaveCaches(t *testing.T) {
	drivers := 0
	for _, name := range kgen.DeviceNames() {
		if name, _, numbered := strings.Cut(name, ":"); numbered {
			if drivers++; !slices.Contains(cache.Kinds, name) {
				t.Errorf("cache.Kinds lacks %s", name)
			}
		}
	}
	if drivers == 0 {
		t.Error("no device has a driver")
	}
}
