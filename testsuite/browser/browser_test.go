package browser

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/kgen-go/kgen/internal/explore/page/pagetest"
)

// browse opens a page in a new tab and fails the test if the console has an error or
// anything but the page is loaded.
func browse(t *testing.T, path string) context.Context {
	t.Helper()
	program := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			program = found
			break
		}
	}
	if program == "" {
		if os.Getenv("KGEN_REQUIRE_CHROMIUM") != "" {
			t.Fatal("there is no Chromium")
		}
		t.Skip("there is no Chromium")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(program), chromedp.NoSandbox, chromedp.WSURLReadTimeout(time.Minute))
	allocator, end := chromedp.NewExecAllocator(t.Context(), options...)
	t.Cleanup(end)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(cancel)
	run(t, ctx) // starts the browser, which lives as long as this context
	ctx, cancelTimeout := context.WithTimeout(ctx, 2*time.Minute)
	t.Cleanup(cancelTimeout)
	url := "file://" + path
	var mutex sync.Mutex
	var wrong []string
	err := chromedp.Listen(ctx, func(event any) {
		mutex.Lock()
		defer mutex.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			wrong = append(wrong, "exception: "+fmt.Sprint(e.ExceptionDetails.Text, e.ExceptionDetails.Exception))
		case *runtime.EventConsoleAPICalled:
			if e.Type == "error" || e.Type == "warning" {
				wrong = append(wrong, fmt.Sprintf("console: %s %s", e.Type, e.Args[0].Value))
			}
		case *log.EventEntryAdded:
			wrong = append(wrong, fmt.Sprintf("log: %s %s", e.Entry.Level, e.Entry.Text))
		case *network.EventRequestWillBeSent:
			if e.Request.URL != url && !strings.HasPrefix(e.Request.URL, "data:") {
				wrong = append(wrong, "it loads "+e.Request.URL)
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		mutex.Lock()
		defer mutex.Unlock()
		for _, w := range wrong {
			t.Error(w)
		}
	})
	run(t, ctx, command(network.Enable, network.EnableParams{}), command(log.Enable, cdp.Empty{}), chromedp.EmulateViewport(1280, 900), chromedp.Navigate(url), chromedp.WaitVisible(chromedp.CSS("#graph svg .node")))
	return ctx
}

// command is a command of the protocol whose result does not matter.
func command[P, R any](c cdp.Command[P, R], params P) chromedp.Action[chromedp.Void] {
	return chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, c, params)
		return err
	})
}

func run(t *testing.T, ctx context.Context, actions ...chromedp.Action[chromedp.Void]) {
	t.Helper()
	if err := chromedp.Do(ctx, actions...); err != nil {
		t.Fatal(err)
	}
}

// inTheme makes the system prefer light or dark.
func inTheme(theme string) chromedp.Action[chromedp.Void] {
	return command(emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: theme}}})
}

// do evaluates an expression for what it does.
func do(expression string) chromedp.Action[chromedp.Void] {
	return chromedp.Evaluate[chromedp.Void](expression)
}

// evaluate returns the value of an expression.
func evaluate[T any](t *testing.T, ctx context.Context, expression string) (value T) {
	t.Helper()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression))
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// samplePage writes the page of invented numbers.
func samplePage(t *testing.T) string {
	t.Helper()
	p, err := pagetest.Sample()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "page.html")
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if err := p.Write(file); err != nil {
		t.Fatal(err)
	}
	return path
}

const shown = `document.getElementById("chosen").textContent`

// Levels are chosen by mouse and by keyboard; the graph is regrouped and everything
// else follows.
func TestLevels(t *testing.T) {
	ctx := browse(t, samplePage(t))
	clusters := func() int { return evaluate[int](t, ctx, `document.querySelectorAll("#graph .cluster").length`) }
	for level, kernels := range map[string]int{"none": 5, "paper3": 3, "paper2": 2, "onepass": 1} {
		run(t, ctx, chromedp.Click(fmt.Sprintf(`//input[@name="level" and @value=%q]`, level)))
		if got := clusters(); got != kernels {
			t.Errorf("level %s has %d clusters, want %d", level, got, kernels)
		}
		if text := evaluate[string](t, ctx, `document.body.innerText`); strings.Contains(text, "[object") || strings.Contains(text, "undefined") || strings.Contains(text, "NaN") {
			t.Errorf("level %s: the page has the text of an object", level)
		}
		if text := evaluate[string](t, ctx, shown); !strings.Contains(text, level+" on ") {
			t.Errorf("%s is shown: %s", level, text)
		}
		for what, want := range map[string]int{"#bars .kernel": kernels, "#text details": kernels + 1, "#source .legend li": kernels} {
			if got := evaluate[int](t, ctx, fmt.Sprintf(`document.querySelectorAll(%q).length`, what)); got != want {
				t.Errorf("level %s: %d of %s, want %d", level, got, what, want)
			}
		}
	}
	run(t, ctx, chromedp.Focus(chromedp.CSS(`#level-0`)), chromedp.SendKeys(chromedp.CSS(`#level-0`), " "), chromedp.SendKeys(chromedp.CSS(`#level-0`), kb.ArrowRight))
	if text := evaluate[string](t, ctx, shown); !strings.Contains(text, "paper3 on ") || clusters() != 3 {
		t.Errorf("after an arrow key: %s", text)
	}
	// Emitted text is unpacked.
	run(t, ctx, chromedp.Click(chromedp.CSS("#text details summary")), chromedp.Sleep(200*time.Millisecond))
	if text := evaluate[string](t, ctx, `document.querySelector("#text details[open] pre").textContent`); !strings.Contains(text, "n < 1 && n > 2") {
		t.Errorf("the emitted text is %q", text)
	}
	// A stage stays the same element, so that it moves to its place.
	run(t, ctx, do(`window.before = document.querySelector('[data-stage="add"]')`), chromedp.Click(chromedp.CSS("#level-0")))
	if !evaluate[bool](t, ctx, `window.before === document.querySelector('[data-stage="add"]') && window.before.isConnected`) {
		t.Error("the graph is drawn anew when the level changes")
	}
}

// Cells choose configurations; one that differs is red and says how to repeat it.
func TestCells(t *testing.T) {
	ctx := browse(t, samplePage(t))
	run(t, ctx, chromedp.Click(`//button[starts-with(@aria-label, "none on opencl:0")]`))
	if text := evaluate[string](t, ctx, shown); !strings.Contains(text, "none on opencl:0") {
		t.Error(text)
	}
	red := evaluate[string](t, ctx, `document.querySelector("#levels button.wrong").textContent`)
	problem := evaluate[string](t, ctx, `document.querySelector("#levels .problem").textContent`)
	if !strings.Contains(red, "differs") || !strings.Contains(problem, "count[7] is 3, want 4") || !strings.Contains(problem, "kgen explore orders.kg") {
		t.Errorf("%q, %q", red, problem)
	}
	if got := evaluate[int](t, ctx, `document.querySelectorAll("#heat table.heat td button").length`); got != 9 {
		t.Errorf("%d cells of the heat map", got)
	}
	if got := evaluate[string](t, ctx, `document.querySelector("#heat td button.none").textContent`); got != "refused" {
		t.Errorf("a refused cell says %q", got)
	}
	run(t, ctx, chromedp.Click(`//section[@id="heat"]//button[starts-with(@aria-label, "workgroup=128, items=4")]`))
	if text := evaluate[string](t, ctx, shown); !strings.Contains(text, "workgroup=128,items=4") {
		t.Error(text)
	}
	if !evaluate[bool](t, ctx, `document.activeElement.getAttribute("aria-label").startsWith("workgroup=128, items=4")`) {
		t.Error("the cell has lost the focus")
	}
	if got := evaluate[int](t, ctx, `document.querySelectorAll("#curve canvas").length`); got != 1 {
		t.Errorf("%d curves", got)
	}
	run(t, ctx, do(`document.querySelector("nav select[name=rows]").selectedIndex = 0; document.querySelector("nav select[name=rows]").dispatchEvent(new Event("change"))`))
	if text := evaluate[string](t, ctx, `document.querySelector("#levels .note").textContent`); !strings.Contains(text, "1,000 rows") {
		t.Error(text)
	}
}

// An experiment is chosen, and the page has its results alone; a cell of its figure chooses columns and level.
func TestExperiments(t *testing.T) {
	ctx := browse(t, samplePage(t))
	text := func(of string) string {
		return evaluate[string](t, ctx, `document.querySelector("`+of+`").textContent`)
	}
	if rows := evaluate[int](t, ctx, `document.querySelectorAll("#figure tbody tr").length`); rows != 30 {
		t.Errorf("the first figure has %d rows, not three sizes by nine shapes and Go, which has none", rows)
	}
	run(t, ctx, do(`const box = document.querySelector("nav select[name=experiment]"); box.selectedIndex = 1; box.dispatchEvent(new Event("change"))`))
	if rows, levels := evaluate[int](t, ctx, `document.querySelectorAll("#figure tbody tr").length`), text("#levels thead"); rows != 3 || levels != "Devicenoneonepass" || strings.Contains(text("#levels tbody"), "opencl") {
		t.Errorf("the figure has %d rows, the levels are %s", rows, levels)
	}
	if all := evaluate[int](t, ctx, `document.querySelectorAll("#all tbody tr").length`); all != 6 {
		t.Errorf("%d configurations", all)
	}
	run(t, ctx, do(`document.querySelector("#figure tbody tr:nth-child(1) td:nth-child(3) button").click()`))
	if got := evaluate[string](t, ctx, shown); !strings.HasPrefix(got, "Shown: onepass on gocpu") || !strings.Contains(text("#levels .note"), "1,000 rows") {
		t.Errorf("%s %s", got, text("#levels .note"))
	}
}

// No width makes the page scroll sideways, and texts can be read on what lies under
// them, in light and dark.
func TestWidthsAndThemes(t *testing.T) {
	ctx := browse(t, samplePage(t))
	run(t, ctx, chromedp.Click(`//input[@name="device" and @value="opencl:0"]`), chromedp.Click(chromedp.CSS("#level-0")),
		do(`document.querySelectorAll("details").forEach((d) => d.open = true)`))
	for _, theme := range []string{"light", "dark"} {
		run(t, ctx, inTheme(theme), chromedp.Sleep(100*time.Millisecond))
		if got := evaluate[string](t, ctx, `document.documentElement.dataset.theme`); got != theme {
			t.Errorf("theme %s, want %s", got, theme)
		}
		for _, width := range []int64{1280, 768, 390, 320} {
			run(t, ctx, chromedp.EmulateViewport(width, 800), chromedp.Sleep(150*time.Millisecond))
			if got := evaluate[int64](t, ctx, `document.documentElement.scrollWidth`); got > width {
				t.Errorf("%d px of content at %d px: %s", got, width, evaluate[string](t, ctx, widest))
			}
		}
		if low := evaluate[[]string](t, ctx, lowContrast); len(low) > 0 {
			t.Errorf("%s: %s", theme, strings.Join(low, "\n"))
		}
	}
	for _, want := range []string{"light", "dark", "automatic"} {
		run(t, ctx, chromedp.Click(chromedp.CSS("#theme")))
		if got := evaluate[string](t, ctx, `document.getElementById("theme").textContent`); got != "Theme: "+want {
			t.Errorf("%q, want %s", got, want)
		}
	}
}

// widest names the elements that stand out of the page.
const widest = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > innerWidth + 1 && !e.closest(".scroll, .graph, pre, .inside")).slice(0, 5).map((e) => e.tagName + "." + e.className + "#" + e.id).join(" ")`

// lowContrast lists texts with less contrast than WCAG's 4.5.
const lowContrast = `(() => {
	const canvas = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
	const parse = (c) => { canvas.clearRect(0, 0, 1, 1); canvas.fillStyle = c; canvas.fillRect(0, 0, 1, 1); const d = canvas.getImageData(0, 0, 1, 1).data; return [d[0], d[1], d[2], d[3] / 255]; };
	const under = (e) => { for (; e; e = e.parentElement) { const c = parse(getComputedStyle(e).backgroundColor); if (c[3] > 0.99) return c; } return parse(getComputedStyle(document.documentElement).backgroundColor); };
	const light = (c) => { const f = c.slice(0, 3).map((x) => (x /= 255) <= 0.03928 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4); return 0.2126 * f[0] + 0.7152 * f[1] + 0.0722 * f[2]; };
	const low = [];
	for (const e of document.querySelectorAll("h1, h2, h3, p, th, td, td button, nav span, nav legend, .badge, dt, dd, .times, summary, pre, li, .note, .statement")) {
		if (!e.textContent.trim() || !e.getClientRects().length) continue;
		const a = light(parse(getComputedStyle(e).color)), b = light(under(e));
		const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
		if (contrast < 4.5) low.push(e.tagName + "." + e.className + " " + JSON.stringify(e.textContent.slice(0, 30)) + " " + contrast.toFixed(2));
	}
	return [...new Set(low)].slice(0, 10);
})()`

// TestPictures keeps pictures of the page, to be looked at.
func TestPictures(t *testing.T) {
	folder := os.Getenv("KGEN_PAGE_PICTURES")
	if folder == "" {
		t.Skip("KGEN_PAGE_PICTURES names no folder")
	}
	path := os.Getenv("KGEN_PAGE")
	if path == "" {
		path = samplePage(t)
	}
	ctx := browse(t, path)
	for _, one := range []struct {
		name, theme string
		width       int64
		before      string // an expression
	}{
		{"light-1280", "light", 1280, "0"}, {"dark-1280", "dark", 1280, "0"}, {"light-390", "light", 390, "0"}, {"dark-390", "dark", 390, "0"},
		{"none-1280", "light", 1280, `document.getElementById("level-0").click()`},
		{"opencl-1280", "light", 1280, `document.getElementById("device-1")?.click()`},
		{"opencl-390", "dark", 390, `document.getElementById("device-1")?.click()`},
	} {
		run(t, ctx, inTheme(one.theme),
			chromedp.EmulateViewport(one.width, 900), do(one.before), chromedp.Sleep(700*time.Millisecond))
		picture, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(folder, one.name+".png"), picture, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}
