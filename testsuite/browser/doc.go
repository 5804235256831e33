// Package browser tests the page of kgen explore in Chromium, which it drives by the
// DevTools protocol. It is a module of its own, since nothing else needs what it
// imports.
//
// Without Chromium the tests are skipped, unless KGEN_REQUIRE_CHROMIUM is set.
// KGEN_PAGE_PICTURES=FOLDER keeps pictures of the page, and KGEN_PAGE=FILE.html takes
// them of that page.
package browser
