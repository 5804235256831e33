// Package page writes the page of an exploration: one HTML file that needs no
// network.
//
// The template has the frame and the numbers, as JSON by gzip; page.js draws them. Graphs are
// laid out by dagre and curves drawn by uPlot, which lie in the folder vendored with
// their licences; bars and heat maps are elements of HTML.
package page

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/kgen-go/kgen/fuse"
	"github.com/kgen-go/kgen/internal/explore"
)

//go:embed page.html page.css page.js vendored
var files embed.FS

// Pipeline is the text of a pipeline.
type Pipeline struct {
	Argument string // as configurations name it: FILE.kg#NAME
	Name     string
	Source   string // of its file; "" if a Go program made it
	File     string
}

// Plan is what a level makes of a pipeline for a device.
type Plan struct {
	Pipeline, Device, Level string
	Schedule                string // as far as it changes stages: variant, groups, probe, radix and sources
	Data                    string // the columns whose lengths the explanation has, as of configurations; "" if it assumes them
	Rows                    int64
	Explanation             *fuse.Explanation
	Refused                 string // why there is none
	Texts                   []Text // emitted
}

// Text is an emitted file.
type Text struct {
	File, Text string
}

// Page is what the page shows. A report without results makes the page of an
// explanation.
type Page struct {
	Title     string
	Report    *explore.Report
	Pipelines []Pipeline
	Plans     []Plan
	Paths     []Path
}

// Path is how a search went through the settings of a pipeline, which heat maps show.
type Path struct {
	explore.DataSet
	Device, Search string
	Moves          []explore.Move
}

var frame = template.Must(template.ParseFS(files, "page.html"))

// asset returns an embedded file.
func asset(name string) string {
	text, err := files.ReadFile(name)
	if err != nil {
		panic("page: " + err.Error())
	}
	return string(text)
}

// library is a script with its licence before it.
func library(script, licence string) template.JS {
	text, _, _ := strings.Cut(asset("vendored/"+script), "//# sourceMappingURL")
	return template.JS("/*!\n" + strings.ReplaceAll(asset("vendored/"+licence), "*/", "* /") + "*/\n" + text)
}

// Write writes the page.
func (p *Page) Write(out io.Writer) error {
	packed, err := p.data().pack()
	if err != nil {
		return err
	}
	data, err := json.Marshal(packed) // a string in base 64
	if err != nil {
		return err
	}
	var summary strings.Builder
	if err := p.Report.WriteText(&summary); err != nil {
		return err
	}
	return frame.Execute(out, map[string]any{
		"Title":   p.Title,
		"About":   p.about(),
		"Summary": summary.String(),
		"Data":    template.JS(data),
		"Style":   template.CSS(asset("page.css") + asset("vendored/uPlot.min.css")),
		"Dagre":   library("dagre.min.js", "LICENSE.dagre"),
		"UPlot":   library("uPlot.iife.min.js", "LICENSE.uPlot"),
		"Script":  template.JS(asset("page.js")),
	})
}

// about says where and when the numbers come from.
func (p *Page) about() string {
	h := p.Report.Header
	if len(p.Report.Results) == 0 {
		return "Predicted, not measured. kgen " + h.Kgen + "."
	}
	return fmt.Sprintf("Measured on %s, %s, by kgen %s. Results are compared with those of %s.",
		h.Begun.Format("2006-01-02 15:04 MST"), h.Machine, h.Kgen, h.Reference)
}
