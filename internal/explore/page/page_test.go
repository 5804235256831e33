package page_test

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/kgen-go/kgen/internal/explore"
	"github.com/kgen-go/kgen/internal/explore/page"
	"github.com/kgen-go/kgen/internal/explore/page/pagetest"
)

func write(t *testing.T, p *page.Page) string {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func sample(t *testing.T) *page.Page {
	t.Helper()
	p, err := pagetest.Sample()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// unpack returns the data of a page as JSON.
func unpack(t *testing.T, data string) []byte {
	t.Helper()
	var packed []byte
	if err := json.Unmarshal([]byte(data), &packed); err != nil {
		t.Fatal(err)
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// The page is HTML that closes what it opens, names each element once, loads nothing,
// and holds its data whatever the pipeline's text is.
func TestPage(t *testing.T) {
	text := write(t, sample(t))
	root, err := html.Parse(strings.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	ids := map[string]int{}
	var data string
	scripts := 0
	var visit func(n *html.Node)
	visit = func(n *html.Node) {
		if n.Type == html.ElementNode {
			for _, a := range n.Attr {
				switch a.Key {
				case "id":
					ids[a.Val]++
				case "src", "href":
					if !strings.HasPrefix(a.Val, "#") && !strings.HasPrefix(a.Val, "data:") {
						t.Errorf("<%s %s=%q> loads something", n.Data, a.Key, a.Val)
					}
				}
			}
			if n.Data == "script" {
				scripts++
				for _, a := range n.Attr {
					if a.Key == "id" && a.Val == "data" {
						data = n.FirstChild.Data
					}
				}
			}
			if n.Data == "b" {
				t.Error("the text of the pipeline has become an element")
			}
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			visit(c)
		}
	}
	visit(root)
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements are called %s", n, id)
		}
	}
	if scripts != 4 {
		t.Errorf("%d scripts, want the data, two libraries and the page's own", scripts)
	}
	var read struct {
		Pipelines []struct {
			Segments []struct {
				Text      string
				Statement bool
			}
		}
		Results     []explore.Result
		Experiments []struct {
			Title   string
			Results []int
			Ways    []string
			Rows    []struct {
				Name  string
				Cells []int
			}
		}
		Plans []struct {
			Level   string
			Stages  []struct{ Segments []int }
			Kernels []struct{ Texts []int }
		}
		Texts []string
	}
	if err := json.Unmarshal(unpack(t, data), &read); err != nil {
		t.Fatal(err)
	}
	var source strings.Builder
	for _, s := range read.Pipelines[0].Segments {
		source.WriteString(s.Text)
	}
	if source.String() != pagetest.Source {
		t.Errorf("the segments are not the source: %q", source.String())
	}
	for _, p := range read.Plans {
		for _, s := range p.Stages {
			if len(s.Segments) == 0 {
				t.Errorf("a stage of level %s has no statement", p.Level)
			}
		}
		for _, k := range p.Kernels {
			if len(k.Texts) != 1 || !strings.Contains(read.Texts[k.Texts[0]], "n < 1 && n > 2") {
				t.Errorf("a kernel of level %s has no text", p.Level)
			}
		}
	}
	if e := read.Experiments; len(e) != 2 || e[1].Title != "One level by rows" || len(e[0].Results) != len(read.Results) || len(e[1].Results) != 6 ||
		len(e[1].Rows) != 3 || e[1].Rows[2].Name != "4,194,304 rows" || read.Results[e[1].Rows[2].Cells[1]].Level != e[1].Ways[1] {
		t.Errorf("%+v", e)
	}
	for _, r := range read.Results {
		if len(r.Samples) > 0 {
			t.Error("the page has the samples")
		}
	}
	for _, licence := range []string{"Chris Pettitt", "Leon Sorokin", "Permission is hereby granted"} {
		if !strings.Contains(text, licence) {
			t.Errorf("the licence of %s is missing", licence)
		}
	}
	if size := len(text); size > 1<<20 {
		t.Errorf("%d bytes", size)
	}
}

// A void or unclosed element would hide the rest of the page: the template closes
// every element that it opens, in order.
func TestTemplateCloses(t *testing.T) {
	text, err := os.ReadFile("page.html")
	if err != nil {
		t.Fatal(err)
	}
	var open []string
	for _, tag := range regexp.MustCompile(`<(/?)([a-z0-9]+)`).FindAllStringSubmatch(string(text), -1) {
		switch name := tag[2]; {
		case name == "meta" || name == "link":
		case tag[1] == "":
			open = append(open, name)
		case len(open) == 0 || open[len(open)-1] != name:
			t.Fatalf("</%s> closes %v", name, open)
		default:
			open = open[:len(open)-1]
		}
	}
	if len(open) > 0 {
		t.Errorf("%v are open", open)
	}
}

// Long texts are left out.
func TestPageOfLongTexts(t *testing.T) {
	p := sample(t)
	for i := range p.Plans {
		for j := range p.Plans[i].Texts {
			p.Plans[i].Texts[j].Text += "\n// " + strings.Repeat("much ", 2<<20) + "\n"
		}
	}
	text := write(t, p)
	_, data, _ := strings.Cut(text, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	if !strings.Contains(string(unpack(t, data)), `"texts":null`) || strings.Contains(string(unpack(t, data)), "much much") {
		t.Error("the page has long texts")
	}
}

// An explanation without measurements is a page, too.
func TestPageWithoutResults(t *testing.T) {
	p := sample(t)
	p.Report.Results, p.Report.Devices = nil, nil
	text := write(t, p)
	_, data, _ := strings.Cut(text, `id="data">`)
	data, _, _ = strings.Cut(data, "</script>")
	if !strings.Contains(text, "Predicted, not measured") || !strings.Contains(string(unpack(t, data)), `"results":[]`) {
		t.Error("a page of an explanation")
	}
}

// The libraries are those of the npm registry.
func TestVendored(t *testing.T) {
	for name, want := range map[string]string{
		"dagre.min.js":      "54a503e346f93ca0bb10abe7999587e037262935687aca45eb4e4b0f64bbb578",
		"uPlot.iife.min.js": "19c8d4c6ad88929a79f4ae49d6f7161566dfd0ba3d15cc495e974f787eb78f1f",
		"uPlot.min.css":     "df630c6a8d6f8eeaff264b50f73ce5b114f646ffd9a0bb74f049b0a00135fa04",
	} {
		text, err := os.ReadFile("vendored/" + name)
		if err != nil {
			t.Fatal(err)
		}
		if got := fmt.Sprintf("%x", sha256.Sum256(text)); got != want {
			t.Errorf("%s has the sum %s", name, got)
		}
	}
}
