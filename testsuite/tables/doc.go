// Package tables tests what groups, finds and joins rows: tables of every kind in emitted Go and on emulated
// work-groups, and rows that move before they enter one.
package tables
