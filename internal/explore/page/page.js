"use strict";
(async () => {
	const packed = Uint8Array.from(atob(JSON.parse(document.getElementById("data").textContent)), (c) => c.charCodeAt(0));
	const data = await new Response(new Blob([packed]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
	const root = document.documentElement;
	const measured = data.results.length > 0;
	const colours = 7;
	const wrongs = ["differs", "failed"];

	// Elements.
	const make = (space) => (tag, attributes = {}, ...children) => {
		const e = space ? document.createElementNS(space, tag) : document.createElement(tag);
		for (const [name, value] of Object.entries(attributes)) {
			if (name.startsWith("on")) e.addEventListener(name.slice(2), value);
			else if (name === "vars") for (const [k, v] of Object.entries(value)) e.style.setProperty(k, v);
			else if (value !== null && value !== undefined && value !== false) e.setAttribute(name, value === true ? "" : value);
		}
		e.append(...children.flat(Infinity).filter((c) => c !== null && c !== undefined));
		return e;
	};
	const h = make(null);
	const svg = make("http://www.w3.org/2000/svg");
	const content = (id, ...children) => {
		const section = document.getElementById(id);
		const list = children.flat(Infinity).filter((c) => c !== null && c !== undefined);
		section.hidden = list.length === 0;
		section.querySelector(".content").replaceChildren(...list);
	};

	// Numbers.
	const time = (ns) => !ns ? "–" : ns >= 1e9 ? (ns / 1e9).toFixed(2) + " s" : ns >= 1e6 ? (ns / 1e6).toFixed(2) + " ms" : (ns / 1e3).toFixed(1) + " µs";
	const bytes = (n) => n >= 2 ** 30 ? (n / 2 ** 30).toFixed(1) + " GiB" : n >= 2 ** 20 ? (n / 2 ** 20).toFixed(1) + " MiB" : n >= 1024 ? (n / 1024).toFixed(1) + " KiB" : n + " B";
	const count = (n) => n.toLocaleString("en");
	const plural = (n, word) => n + " " + word + (n === 1 ? "" : "s");
	const spread = (r) => r.known ? "±" + (100 * (r.high_ns - r.low_ns) / 2 / r.median_ns).toFixed(1) + " %" : "few samples";
	const unique = (list) => [...new Set(list)];
	const best = (list) => list.filter((r) => r.status === "agrees" && r.median_ns > 0).reduce((a, b) => !a || b.median_ns < a.median_ns ? b : a, null);
	const setting = (schedule, key) => {
		const part = (schedule || "").split(",").find((p) => p.startsWith(key + "="));
		return part ? part.slice(key.length + 1) : "-";
	};
	// The part of a schedule that changes stages.
	const structural = (schedule) => (schedule || "").split(",").filter((p) => /^(variant|groups|probe|radix|sources)=/.test(p)).sort().join(",");

	// Sequential blues of ColorBrewer, which all eyes tell apart: dark is fast.
	const scale = [[8, 48, 107], [33, 113, 181], [107, 174, 214], [189, 215, 231], [239, 243, 255]];
	const shade = (t) => {
		const x = Math.min(Math.max(t, 0), 1) * (scale.length - 1), i = Math.min(Math.floor(x), scale.length - 2);
		const rgb = scale[i].map((c, k) => Math.round(c + (scale[i + 1][k] - c) * (x - i)));
		const linear = rgb.map((c) => (c / 255) ** 2.2), light = 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
		return { background: `rgb(${rgb.join(" ")})`, color: light < 0.18 ? "#ffffff" : "#10161d" };
	};
	const scaled = (list) => {
		const times = list.filter((r) => r && r.median_ns > 0).map((r) => Math.log(r.median_ns));
		const low = Math.min(...times), high = Math.max(...times, low + Math.log(1.05));
		return (r) => (Math.log(r.median_ns) - low) / (high - low);
	};

	// What is shown: of one experiment.
	const whole = measured && data.experiments.length ? data.experiments.map((e) => e.results.map((i) => data.results[i])) : [data.results];
	const choicesOf = (results) => {
		const source = measured ? results : data.plans;
		return {
			pipeline: unique(source.map((r) => r.pipeline)), data: unique(results.map((r) => r.data)), rows: unique(results.map((r) => r.rows)).sort((a, b) => a - b),
			device: unique(source.map((r) => r.device)), level: unique(source.map((r) => r.level)),
		};
	};
	let results = whole[0], choices = choicesOf(results);
	const state = { experiment: 0, pipeline: choices.pipeline[0], data: choices.data[0], rows: choices.rows[choices.rows.length - 1], device: choices.device[0], level: choices.level[0], schedule: null };
	const here = (extra = {}) => {
		const wanted = { pipeline: state.pipeline, data: state.data, rows: state.rows, ...extra };
		return results.filter((r) => Object.entries(wanted).every(([k, v]) => r[k] === v));
	};
	const first = best(here());
	if (first) Object.assign(state, { device: first.device, level: first.level });
	const inLevel = () => here({ device: state.device, level: state.level });
	const result = () => {
		const list = inLevel();
		return list.find((r) => (r.schedule || "") === state.schedule) || best(list) || list[0] || null;
	};
	const planOf = (device, level, schedule) => {
		const plans = data.plans.filter((p) => p.pipeline === state.pipeline && p.device === device && p.level === level && (!p.data || p.data === state.data && p.rows === state.rows));
		return plans.find((p) => p.schedule === structural(schedule)) || plans[0] || null;
	};
	const plan = () => {
		const r = result();
		return planOf(state.device, state.level, r ? r.schedule : "");
	};
	const device = (name) => data.devices.find((d) => d.device === name) || { device: name };
	const colourOf = (p, kernel) => {
		const i = p.kernels.findIndex((k) => k.name === kernel);
		return i < 0 ? "var(--dim)" : `var(--k${i % colours})`;
	};
	const number = (p, kernel) => p.kernels.findIndex((k) => k.name === kernel) + 1;
	const choose = (change) => {
		Object.assign(state, change);
		if ("experiment" in change) {
			results = whole[state.experiment];
			choices = choicesOf(results);
			const x = best(results) || results[0];
			if (x) Object.assign(state, { pipeline: x.pipeline, data: x.data, rows: x.rows, device: x.device, level: x.level });
			renderChoices();
		}
		if (!("schedule" in change)) state.schedule = null;
		render();
	};

	// Choices.
	function renderChoices() {
		const nav = document.getElementById("choices");
		const radio = (key, name) => h("fieldset", {}, h("legend", {}, name), choices[key].map((value, i) => h("label", { class: "radio" },
			h("input", { type: "radio", name: key, value, id: `${key}-${i}`, onchange: () => choose({ [key]: value }) }), h("span", {}, value))));
		const select = (key, name, text) => choices[key].length < 2 ? null : h("label", { class: "named" }, h("span", {}, name),
			h("select", { name: key, onchange: (e) => choose({ [key]: choices[key][e.target.selectedIndex] }) }, choices[key].map((v) => h("option", {}, text(v)))));
		const experiment = whole.length < 2 ? null : h("label", { class: "named" }, h("span", {}, "Experiment"),
			h("select", { name: "experiment", onchange: (e) => choose({ experiment: e.target.selectedIndex }) }, data.experiments.map((e) => h("option", {}, e.title))));
		nav.replaceChildren(...[experiment, select("pipeline", "Pipeline", (v) => v), select("data", "Columns", (v) => v), select("rows", "Rows", count),
			radio("device", "Device"), radio("level", "Fusion level")].filter(Boolean));
	}
	function showChoices() {
		for (const input of document.querySelectorAll("nav input")) input.checked = state[input.name] === input.value;
		for (const box of document.querySelectorAll("nav select")) box.selectedIndex = box.name === "experiment" ? state.experiment : choices[box.name].indexOf(state[box.name]);
		const r = result(), p = plan();
		const words = [`${state.level} on ${state.device}`];
		if (r && r.schedule) words.push(r.schedule);
		if (p && !p.refused) words.push(`${plural(p.kernels.length, "kernel")} of ${plural(p.stages.length, "stage")}`);
		if (r) words.push(r.status === "agrees" ? `${time(r.median_ns)} (${spread(r)}, ${plural(r.count, "sample")})` : r.status);
		else if (p) words.push(`${time(p.predicted)} predicted`);
		document.getElementById("chosen").replaceChildren("Shown: " + words.join(", ") + ".");
	}

	// A button with a time. Results that differ are red, and say so.
	function cell(list, pressed, shadeOf, action, label) {
		const wrong = list.find((r) => wrongs.includes(r.status));
		const fastest = best(list);
		const attributes = { type: "button", "aria-pressed": String(pressed), onclick: action };
		let text = ["–"];
		if (wrong) {
			Object.assign(attributes, { class: "wrong", title: wrong.problem });
			text = ["✗ " + wrong.status];
		} else if (fastest) {
			attributes.style = Object.entries(shadeOf(fastest)).map(([k, v]) => `${k}:${v}`).join(";");
			text = [time(fastest.median_ns), h("small", {}, fastest.partial ? "interrupted" : spread(fastest))];
		} else {
			Object.assign(attributes, { class: "none", title: list.length ? list[0].problem : "" });
			text = [h("span", {}, list.length ? "refused" : "–")];
		}
		attributes["aria-label"] = `${label}: ${text[0].textContent || text[0]}`;
		return h("td", { class: "cell" }, h("button", attributes, text));
	}

	// The experiment as one table: columns of data down, ways to run across.
	function renderFigure() {
		const e = data.experiments[state.experiment];
		if (!measured || !e || e.rows.length * e.ways.length < 2 || !e.title && e.rows.length < 2) return content("figure");
		const cells = e.rows.map((row) => row.cells.map((i) => i < 0 ? null : data.results[i]));
		const now = result();
		content("figure", e.title ? h("p", { class: "note" }, `${e.title}. Darker is faster, of a row.`) : null,
			h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "The experiment as a table" }, h("table", {},
				h("thead", {}, h("tr", {}, h("th", { scope: "col" }, ""), e.ways.map((w) => h("th", { scope: "col" }, w)))),
				h("tbody", {}, e.rows.map((row, i) => {
					const shadeAt = scaled(cells[i]);
					return h("tr", {}, h("th", { scope: "row" }, row.name), cells[i].map((r, j) => cell(r ? [r] : [], r !== null && r === now, (x) => shade(shadeAt(x)),
						() => r && choose({ pipeline: r.pipeline, data: r.data, rows: r.rows, device: r.device, level: r.level, schedule: r.schedule || "" }), `${row.name} ${e.ways[j]}`)));
				})))));
	}

	function renderLevels() {
		if (!measured) return content("levels");
		const cells = choices.device.map((d) => choices.level.map((l) => here({ device: d, level: l })));
		const shadeAt = scaled(cells.flat().map(best));
		const table = h("table", {}, h("thead", {}, h("tr", {}, h("th", { scope: "col" }, "Device"), choices.level.map((l) => h("th", { scope: "col" }, l)))),
			h("tbody", {}, choices.device.map((d, i) => h("tr", {}, h("th", { scope: "row" }, d), choices.level.map((l, j) =>
				cell(cells[i][j], d === state.device && l === state.level, (r) => shade(shadeAt(r)), () => choose({ device: d, level: l }), `${l} on ${d}`))))));
		const problems = here().filter((r) => wrongs.includes(r.status)).map((r) => h("div", { class: "problem" },
			h("strong", {}, `${r.device} ${r.level} ${r.schedule || ""} ${r.status}`), h("pre", {}, r.problem || ""), r.repeat ? [h("span", { class: "note" }, "This repeats it:"), h("pre", {}, r.repeat)] : null));
		const refused = inLevel().filter((r) => r.status === "refused").slice(0, 1).map((r) => h("p", { class: "note" }, "Refused: " + r.problem));
		const r = result();
		const notes = (r && r.notes || []).map((n) => h("p", { class: "note" }, "Note: " + n + "."));
		content("levels", h("p", { class: "note" }, `Medians of one run over ${state.rows ? count(state.rows) : "the"} rows${state.data === "files" ? " of files" : ", generated: " + state.data}. Darker is faster.`),
			h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "Times by device and level" }, table), problems, refused, notes,
			data.devices.map((d) => h("p", { class: "note" }, `${d.device}: ${d.detail || ""}${d.copy_gb_per_s ? `. Its own copy moves ${d.copy_gb_per_s.toFixed(1)} GB/s.` : ""}`)));
	}

	// The source, with the kernels of its statements.
	function renderSource() {
		const p = plan(), text = data.pipelines.find((x) => x.argument === state.pipeline);
		if (!text || !p) return content("source");
		const parts = text.segments.map((segment, i) => {
			if (!segment.statement) return segment.text;
			const stages = p.stages.filter((s) => s.segments.includes(i));
			const kernels = unique(stages.map((s) => s.kernel).filter(Boolean));
			if (stages.length === 0) return segment.text;
			const tints = kernels.map((k) => `color-mix(in srgb, ${colourOf(p, k)} calc(var(--tint) + 8%), transparent)`);
			const step = 100 / Math.max(tints.length, 1);
			const background = tints.length ? `linear-gradient(90deg, ${tints.map((c, n) => `${c} ${n * step}% ${(n + 1) * step}%`).join(", ")})` : "none";
			const light = (on) => () => light1(stages.map((s) => s.name), on);
			return h("span", { class: "statement", tabindex: "0", style: `background:${background}`, "data-stages": stages.map((s) => s.name).join(" "),
				"aria-label": `${segment.text}: ${stages.map((s) => s.name).join(", ")}; ${kernels.length ? "kernel " + kernels.map((k) => number(p, k)).join(", ") : "not run"}`,
				title: stages.map((s) => s.name).join(", "), onmouseenter: light(true), onmouseleave: light(false), onfocus: light(true), onblur: light(false) },
				segment.text, kernels.map((k) => h("span", { class: "badge", vars: { "--kernel": colourOf(p, k) } }, number(p, k))));
		});
		content("source", h("p", { class: "note" }, "The numbers are those of the kernels that compute a statement. Point at one to see its stages."), h("pre", { class: "source" }, parts),
			h("ul", { class: "legend" }, p.kernels.map((k, i) => h("li", {}, h("span", { class: "badge", vars: { "--kernel": `var(--k${i % colours})` } }, i + 1), " ", k.name, h("span", { class: "note" }, " " + k.stages.join(" "))))));
	}
	function light1(stages, on) {
		for (const e of document.querySelectorAll("[data-stage]")) e.classList.toggle("lit", on && stages.includes(e.dataset.stage));
	}

	// The graph. Nodes stay when the level changes, and move to their place.
	const drawn = { key: null, nodes: new Map(), layers: null };
	const clip = (text, n) => text.length > n ? text.slice(0, n - 1) + "…" : text;
	function renderGraph() {
		const p = plan();
		if (!p || p.stages.length === 0) {
			drawn.key = null;
			return content("graph", p && p.refused ? h("p", {}, p.refused) : null);
		}
		const g = new dagre.graphlib.Graph({ compound: true, multigraph: true });
		g.setGraph({ rankdir: "TB", nodesep: 26, ranksep: 46, marginx: 14, marginy: 20 });
		g.setDefaultEdgeLabel(() => ({}));
		const nodes = [];
		const add = (id, kind, title, words, extra = {}) => {
			const width = Math.max(64, 7.4 * title.length + 22, words ? 6.8 * words.length + 20 : 0);
			nodes.push({ id, kind, title, words, ...extra });
			g.setNode(id, { width, height: words ? 46 : 30 });
		};
		for (const k of p.kernels) g.setNode("kernel:" + k.name, {});
		for (const s of p.stages) {
			const words = s.statements.length ? clip(s.statements[0].text + (s.statements.length > 1 ? ", …" : ""), 34) : "";
			add(s.name, "stage", s.name, words, { stage: s });
			if (s.kernel) g.setParent(s.name, "kernel:" + s.kernel);
		}
		const edges = [];
		const connect = (from, to, v) => {
			const label = v.name + (v.stored && v.bytes ? " " + bytes(v.bytes) : "");
			const id = v.name + ">" + to;
			edges.push({ from, to, id, v, label });
			g.setEdge(from, to, { width: 6 * label.length, height: 14, labelpos: "c" }, id);
		};
		for (const v of p.values) {
			if (!v.writer && (v.readers || []).length) add("in:" + v.name, "column", v.name, "");
			for (const to of v.readers || []) connect(v.writer || "in:" + v.name, to, v);
			if (v.result && v.writer) {
				add("out:" + v.name, "column", v.name, "");
				connect(v.writer, "out:" + v.name, v);
			}
		}
		dagre.layout(g);
		const size = g.graph();
		const key = state.pipeline;
		if (drawn.key !== key || !drawn.svg) {
			drawn.key = key;
			drawn.nodes.clear();
			drawn.layers = { clusters: svg("g"), edges: svg("g"), nodes: svg("g") };
			drawn.svg = svg("svg", { role: "img" }, svg("defs", {}, svg("marker", { id: "arrow", viewBox: "0 0 8 8", refX: 7, refY: 4, markerWidth: 6, markerHeight: 6, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z", style: "fill:var(--dim)" }))),
				drawn.layers.clusters, drawn.layers.edges, drawn.layers.nodes);
			drawn.box = h("div", { class: "graph", tabindex: "0", role: "region", "aria-label": "Graph of stages" }, drawn.svg);
		}
		const ways = (p.ways || []).length ? h("p", { class: "note" }, "The data decides which of these ways is taken when the pipeline runs: " + p.ways.map((w) => `${w.name}${w.chosen ? " (taken here)" : ""}, ${plural(w.kernels, "kernel")}, ${bytes(w.bytes)}`).join("; ") + ". Kernels of other ways are faint.") : null;
		content("graph", ways, h("p", { class: "note" }, "Boxes are stages, grouped into kernels. Thick lines are columns that go through memory, with their bytes; thin ones stay in registers."), drawn.box);
		const room = drawn.box.clientWidth - 4, fit = room > 0 && size.width > room ? Math.max(room / size.width, 0.55) : 1;
		for (const [name, value] of Object.entries({ width: size.width * fit, height: size.height * fit, viewBox: `0 0 ${size.width} ${size.height}` })) drawn.svg.setAttribute(name, value);
		if (size.width * fit > room) drawn.box.scrollLeft = (size.width * fit - room) / 2;
		drawn.svg.setAttribute("aria-label", p.kernels.map((k, i) => `kernel ${i + 1}: ${k.stages.join(", ")}`).join("; "));
		const place = (id, build) => {
			let e = drawn.nodes.get(id);
			if (!e) {
				e = build();
				drawn.nodes.set(id, e);
			}
			const at = g.node(id);
			e.style.transform = `translate(${at.x}px, ${at.y}px)`;
			return e;
		};
		const keep = new Set();
		drawn.layers.clusters.replaceChildren(...p.kernels.filter((k) => k.stages.some((s) => g.hasNode(s))).map((k, i) => {
			const at = g.node("kernel:" + k.name), top = 15; // for the name
			return svg("g", { class: "cluster" + (k.idle ? " idle" : ""), style: `transform:translate(${at.x}px,${at.y}px);--kernel:var(--k${i % colours})` },
				svg("rect", { x: -at.width / 2, y: -at.height / 2 - top, width: at.width, height: at.height + top, rx: 8 }),
				svg("text", { x: -at.width / 2 + 8, y: -at.height / 2 }, clip(`${i + 1} ${k.name}`, Math.max(6, Math.floor(at.width / 7)))));
		}));
		for (const n of nodes) {
			keep.add(n.id);
			const at = g.node(n.id);
			const e = place(n.id, () => svg("g", { class: "node", "data-stage": n.kind === "stage" ? n.id : null }));
			e.classList.toggle("idle", n.kind === "stage" && !n.stage.kernel);
			if (n.kind === "stage") e.style.setProperty("--kernel", colourOf(p, n.stage.kernel));
			e.replaceChildren(svg("title", {}, n.kind === "stage" ? n.stage.statements.map((s) => `line ${s.line}: ${s.text}`).join("\n") : n.title),
				n.kind === "stage" ? svg("rect", { x: -at.width / 2, y: -at.height / 2, width: at.width, height: at.height, rx: 5 }) : svg("ellipse", { rx: at.width / 2, ry: at.height / 2 }),
				svg("text", { "text-anchor": "middle", y: n.words ? -4 : 4 }, n.title), n.words ? svg("text", { "text-anchor": "middle", y: 14, class: "words" }, n.words) : null);
		}
		for (const id of [...drawn.nodes.keys()]) if (!keep.has(id)) drawn.nodes.delete(id);
		drawn.layers.nodes.replaceChildren(...nodes.map((n) => drawn.nodes.get(n.id)));
		drawn.layers.edges.replaceChildren(...edges.map((e) => {
			const at = g.edge({ v: e.from, w: e.to, name: e.id }), points = at.points;
			let d = `M${points[0].x} ${points[0].y}`;
			for (let i = 1; i < points.length - 1; i++) d += `Q${points[i].x} ${points[i].y} ${(points[i].x + points[i + 1].x) / 2} ${(points[i].y + points[i + 1].y) / 2}`;
			d += `L${points[points.length - 1].x} ${points[points.length - 1].y}`;
			return svg("g", { class: "edge" + (e.v.stored ? " stored" : "") }, svg("path", { d, "marker-end": "url(#arrow)" }), svg("text", { x: at.x, y: at.y + 4, "text-anchor": "middle" }, e.label));
		}));
	}

	// Bars.
	function renderBars() {
		const p = plan();
		if (!p || p.refused) return content("bars");
		const rate = device(state.device).copy_gb_per_s;
		const rows = choices.level.map((level) => {
			const r = level === state.level ? result() : best(here({ device: state.device, level }));
			const its = planOf(state.device, level, r ? r.schedule : "");
			if (!its || its.refused) return null;
			const kernels = r && r.kernels ? r.kernels : its.kernels.filter((k) => !k.idle);
			const sum = kernels.reduce((t, k) => t + (k.median_ns || 0), 0);
			return { level, its, r, kernels, sum, total: r ? r.median_ns : 0, predicted: r ? r.predicted_ns : its.predicted, bytes: r ? r.bytes : its.bytes };
		}).filter(Boolean);
		const limit = (n) => rate ? n / rate : 0;
		const most = Math.max(...rows.map((x) => Math.max(x.total || 0, x.predicted || 0, limit(x.bytes))));
		const part = (ns) => `${Math.max(0, 100 * ns / most)}%`;
		const overview = rows.map((x) => h("button", { type: "button", class: "levelbar", "aria-pressed": String(x.level === state.level), onclick: () => choose({ level: x.level }),
			"aria-label": `${x.level}: ${x.total ? time(x.total) + " measured, " : ""}${time(x.predicted)} predicted, ${bytes(x.bytes)}` },
			h("strong", {}, x.level),
			h("span", { class: "track" },
				x.total ? h("span", { class: "bar" }, x.kernels.map((k) => h("i", { title: `${k.name}: ${time(k.median_ns)}`, style: `width:${part(x.sum ? x.total * (k.median_ns || 0) / x.sum : 0)}`, vars: { "--kernel": colourOf(x.its, k.name) } }))) : null,
				h("span", { class: "bar thin" }, x.kernels.map((k) => h("i", { title: `${k.name}: ${time(k.predicted_ns)} predicted`, style: `width:${part(k.predicted_ns)}`, vars: { "--kernel": colourOf(x.its, k.name) } }))),
				rate ? h("span", { class: "limit", style: `left:${part(limit(x.bytes))}`, title: `${bytes(x.bytes)} at the rate of the copy: ${time(limit(x.bytes))}` }) : null),
			h("span", { class: "times" }, x.total ? `${time(x.total)} · ` : `${time(x.predicted)} · `, bytes(x.bytes))));
		const chosen = rows.find((x) => x.level === state.level);
		if (!chosen) return content("bars");
		const peak = Math.max(...chosen.kernels.map((k) => Math.max(k.median_ns || 0, k.predicted_ns, limit(k.bytes))));
		const cards = chosen.kernels.map((k) => {
			const stages = p.stages.filter((s) => s.kernel === k.name);
			const words = unique(stages.flatMap((s) => s.statements.map((x) => x.text)));
			const line = (name, kind, ns, text) => [h("dt", {}, name), h("dd", { class: "wide" }, h("div", { class: "bar " + kind, style: `width:${Math.max(0, 100 * ns / peak)}%` })), h("dd", { class: "number" }, text)];
			const gb = k.median_ns ? k.bytes / k.median_ns : 0;
			return h("div", { class: "kernel", vars: { "--kernel": colourOf(p, k.name) } },
				h("div", {}, h("span", { class: "badge", vars: { "--kernel": colourOf(p, k.name) } }, number(p, k.name)), " ", h("strong", {}, k.name), " ", h("span", { class: "note" }, k.stages.join(" "))),
				words.length ? h("div", { class: "code" }, words.join("; ")) : null,
				h("dl", {}, k.median_ns ? line("measured", "measured", k.median_ns, time(k.median_ns)) : [],
					line("predicted", "predicted", k.predicted_ns, time(k.predicted_ns)),
					rate ? line("at the copy's rate", "copy", limit(k.bytes), time(limit(k.bytes))) : [],
					h("dt", {}, "moves at least"), h("dd", { class: "wide empty" }), h("dd", { class: "number" }, bytes(k.bytes)),
					gb ? [h("dt", {}, "rate"), h("dd", { class: "wide empty" }), h("dd", { class: "number" }, `${gb.toFixed(1)} GB/s` + (rate ? `, ${Math.round(100 * gb / rate)} % of copy` : ""))] : []));
		});
		const lengths = chosen.r && chosen.r.lengths ? chosen.r.lengths.map((l) => `${l.domain} = ${count(l.rows)}${l.measured ? "" : " (assumed)"}`) : p.lengths.map((l) => `${l.domain} = ${count(l.rows)} (${l.because})`);
		content("bars", h("p", { class: "note" }, (measured ? "Thick: measured. Hatched: predicted" : "Predicted") + ` for ${p.machine}.` + (rate ? " Dashed: the least bytes of the plan at the rate of the device's own copy." : "") + " Rows: " + lengths.join(", ") + "."),
			h("div", {}, overview), h("h3", {}, `Kernels at ${state.level} on ${state.device}`), h("div", { class: "kernels" }, cards));
	}

	// Heat maps of pairs of settings.
	function renderHeat() {
		const list = inLevel();
		const keys = unique(list.flatMap((r) => (r.schedule || "").split(",").map((p) => p.split("=")[0]).filter(Boolean)))
			.filter((key) => unique(list.map((r) => setting(r.schedule, key))).length > 1);
		if (keys.length === 0) return content("heat");
		const values = (key) => unique(list.map((r) => setting(r.schedule, key)));
		const at = (pairs) => list.filter((r) => pairs.every(([key, value]) => setting(r.schedule, key) === value));
		const now = result();
		const button = (some, shadeAt, pairs) => {
			const r = best(some) || some[0];
			return cell(some, r && now && some.includes(now), (x) => shade(shadeAt(x)), () => r && choose({ schedule: r.schedule || "" }), pairs.map((p) => p.join("=")).join(", "));
		};
		const maps = [], walks = [];
		const ofLevel = (settings) => ["-", state.level].includes(setting(settings, "level"));
		const paths = (data.paths || []).filter((p) => p.pipeline === state.pipeline && p.data === state.data && p.rows === state.rows && p.device === state.device);
		const moves = paths.flatMap((p) => p.moves).filter((m) => ofLevel(m.from) && ofLevel(m.to));
		if (keys.length === 1) {
			const groups = values(keys[0]).map((v) => at([[keys[0], v]])), shadeAt = scaled(groups.map(best));
			maps.push(h("div", {}, h("h3", {}, keys[0]), h("div", { class: "scroll" }, h("table", { class: "heat" }, h("tbody", {}, values(keys[0]).map((v, i) => h("tr", {}, h("th", { scope: "row" }, v), button(groups[i], shadeAt, [[keys[0], v]]))))))));
		}
		keys.forEach((a, i) => keys.slice(i + 1).forEach((b) => {
			const groups = values(a).map((x) => values(b).map((y) => at([[a, x], [b, y]])));
			const shadeAt = scaled(groups.flat().map(best));
			const table = h("table", { class: "heat" },
				h("thead", {}, h("tr", {}, h("th", { scope: "col" }, `${a} \\ ${b}`), values(b).map((y) => h("th", { scope: "col" }, y)))),
				h("tbody", {}, values(a).map((x, n) => h("tr", {}, h("th", { scope: "row" }, x), values(b).map((y, m) => button(groups[n][m], shadeAt, [[a, x], [b, y]]))))));
			const lines = svg("svg", { class: "path", "aria-hidden": "true" });
			walks.push(() => drawMoves(lines, table, moves, (settings) => [values(a).indexOf(setting(settings, a)), values(b).indexOf(setting(settings, b))]));
			maps.push(h("div", {}, h("h3", {}, `${a} and ${b}`), h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": `${a} and ${b}` }, h("div", { class: "walked" }, table, lines))));
		}));
		content("heat", h("p", { class: "note" }, `${state.level} on ${state.device}; a cell is the best of the other settings. - is what kgen chooses. Choose a cell to see it above.`),
			h("div", { class: "scale" }, "fast", h("i", { style: `background:linear-gradient(90deg, ${scale.map((c) => `rgb(${c.join(" ")})`).join(", ")})` }), "slow"), h("div", { class: "heats" }, maps),
			moves.length ? h("details", {}, h("summary", {}, `Arrows: ${plural(moves.length, "step")} of the search`), h("div", { class: "inside" }, h("ol", {}, moves.map((m) => h("li", {}, `${m.from} → ${m.to}`))))) : null);
		for (const draw of walks) draw();
	}

	// The moves of searches, as arrows between cells of a table; those within a cell do not show.
	function drawMoves(lines, table, moves, cellOf) {
		const centre = ([row, column]) => {
			const td = row < 0 || column < 0 ? null : table.tBodies[0].rows[row].cells[column + 1];
			return td && [td.offsetLeft + td.offsetWidth / 2, td.offsetTop + td.offsetHeight / 2];
		};
		const ends = unique(moves.map((m) => JSON.stringify([centre(cellOf(m.from)), centre(cellOf(m.to))]))).map((x) => JSON.parse(x))
			.filter(([from, to]) => from && to && from.join() !== to.join());
		lines.setAttribute("width", table.offsetWidth);
		lines.setAttribute("height", table.offsetHeight);
		lines.replaceChildren(svg("defs", {}, svg("marker", { id: "move", viewBox: "0 0 8 8", refX: 6, refY: 4, markerWidth: 5, markerHeight: 5, orient: "auto" }, svg("path", { d: "M0 0L8 4L0 8z" }))),
			...(ends.length ? [svg("circle", { cx: ends[0][0][0], cy: ends[0][0][1], r: 5 })] : []),
			...ends.map(([from, to]) => svg("path", { class: "move", d: `M${from.join(" ")}L${to.join(" ")}`, "marker-end": "url(#move)" })));
	}

	// Times over rows.
	let plot = null, plotted = null;
	function renderCurve() {
		if (plot) plot.destroy();
		plot = null;
		if (choices.rows.length < 2) return content("curve");
		const series = choices.device.flatMap((d) => choices.level.map((l) => ({ d, l, values: choices.rows.map((n) => {
			const r = best(here({ device: d, level: l, rows: n }));
			return r && n ? r.median_ns / n : null;
		}) }))).filter((s) => s.values.some((v) => v !== null));
		if (series.length === 0) return content("curve");
		const box = h("div", {});
		const table = h("details", {}, h("summary", {}, "The same as a table, in ns a row"), h("div", { class: "inside scroll" }, h("table", { class: "plain" },
			h("thead", {}, h("tr", {}, h("th", {}, "Device"), h("th", {}, "Level"), choices.rows.map((n) => h("th", { class: "number" }, count(n))))),
			h("tbody", {}, series.map((s) => h("tr", {}, h("td", {}, s.d), h("td", {}, s.l), s.values.map((v) => h("td", { class: "number" }, v === null ? "–" : v.toFixed(2)))))))));
		content("curve", h("p", { class: "note" }, "Nanoseconds a row, the best of all settings; both axes are logarithmic. Colours are levels, dashes devices. Choose names in the legend to hide curves."), box, table);
		const css = (name) => getComputedStyle(root).getPropertyValue(name).trim();
		const dashes = [[], [6, 4], [2, 3], [10, 3, 2, 3]];
		const axis = { stroke: css("--text"), grid: { stroke: css("--line"), width: 1 }, ticks: { stroke: css("--line") } };
		const short = (v) => v === null ? null : v >= 1e9 ? +(v / 1e9).toPrecision(3) + "G" : v >= 1e6 ? +(v / 1e6).toPrecision(3) + "M" : v >= 1e3 ? +(v / 1e3).toPrecision(3) + "k" : String(+v.toPrecision(3));
		plotted = box;
		plot = new uPlot({
			width: Math.max(box.clientWidth, 200), height: 340, scales: { x: { time: false, distr: 3, range: [choices.rows[0] / 1.2, choices.rows[choices.rows.length - 1] * 1.2] }, y: { distr: 3 } },
			axes: [{ ...axis, values: (u, list) => list.map(short), splits: () => choices.rows, filter: (u, list) => list }, { ...axis, size: 56, values: (u, list) => list.map(short) }],
			series: [{ label: "rows", value: (u, v) => v === null ? "–" : count(v) }, ...series.map((s) => ({ label: `${s.d} ${s.l}`, stroke: css("--k" + choices.level.indexOf(s.l) % colours), width: 2,
				dash: dashes[choices.device.indexOf(s.d) % dashes.length], points: { show: true, size: 6 }, spanGaps: true, value: (u, v) => v === null || v === undefined ? "–" : v.toFixed(2) + " ns" }))],
		}, [choices.rows, ...series.map((s) => s.values)], box);
	}
	let resized = 0;
	addEventListener("resize", () => {
		clearTimeout(resized);
		resized = setTimeout(() => {
			if (plot && plotted.clientWidth > 0) plot.setSize({ width: plotted.clientWidth, height: 340 });
			renderGraph();
		}, 100);
	});

	// Neighbours.
	function renderApart() {
		const p = plan();
		if (!p || p.refused) return content("apart");
		const words = (name) => {
			const s = p.stages.find((x) => x.name === name);
			return s && s.statements.length ? ` (${clip(s.statements[0].text, 40)})` : "";
		};
		const values = (pair) => [pair.values.filter((v) => !v.shared).map((v) => v.name).join(", "), pair.values.some((v) => v.shared) ? "both read " + pair.values.filter((v) => v.shared).map((v) => v.name).join(", ") : ""].filter(Boolean).join("; ");
		const item = (pair, mark) => h("li", {}, h("strong", {}, pair.from), words(pair.from), ` ${mark} `, h("strong", {}, pair.to), words(pair.to), h("span", { class: "note" }, `: ${values(pair)}${pair.merged && pair.saved ? `; saves ${bytes(pair.saved)}` : ""}`));
		const parts = unique(p.pairs.filter((x) => !x.merged).map((x) => x.why)).map((why) => [h("h3", {}, "Apart: " + why), h("ul", { class: "pairs" }, p.pairs.filter((x) => !x.merged && x.why === why).map((x) => item(x, "|")))]);
		const merged = p.pairs.filter((x) => x.merged);
		const dropped = (p.dropped || []).map((d) => h("p", {}, `Not run: ${d.stages.join(" ")}: ${d.why}.`));
		content("apart", p.searched ? h("p", { class: "note" }, "Searched: " + p.searched + ".") : null, parts.length ? parts : h("p", {}, "All neighbours share a kernel."),
			merged.length ? h("details", {}, h("summary", {}, `${plural(merged.length, "pair")} that ${merged.length === 1 ? "shares" : "share"} a kernel`), h("div", { class: "inside" }, h("ul", { class: "pairs" }, merged.map((x) => item(x, "+"))))) : null, dropped,
			h("p", { class: "note" }, "As a plan by hand: ", h("code", {}, p.plan)));
	}

	// Emitted text is much: it is shown when it is asked for.
	function renderText() {
		const p = plan();
		if (!p || !p.kernels.some((k) => k.texts.length)) return content("text");
		if (!data.texts) return content("text", h("p", { class: "note" }, "The text of all kernels is too long for this page: kgen emit prints that of a pipeline."));
		const part = (list, ...summary) => {
			const pre = h("pre", { tabindex: "0" }, "…");
			return h("details", { ontoggle: (e) => { if (e.target.open) pre.textContent = list.map((i) => data.texts[i]).join("\n"); } }, h("summary", {}, ...summary), pre);
		};
		content("text", p.kernels.map((k, i) => part(k.texts, h("span", { class: "badge", vars: { "--kernel": `var(--k${i % colours})` } }, i + 1), " ", k.name)),
			p.helpers && p.helpers.length ? part(p.helpers, "The rest: helpers, and what launches the kernels") : null);
	}

	let showAll = false;
	function renderAll() {
		if (!measured) return content("all");
		const few = 30, list = showAll ? results : results.slice(0, few);
		const many = { pipeline: choices.pipeline.length > 1, data: choices.data.length > 1, rows: choices.rows.length > 1, schedule: results.some((r) => r.schedule) };
		const heads = [many.pipeline && "Pipeline", many.data && "Columns", many.rows && "Rows", "Device", "Level", many.schedule && "Settings", "Median", "", "Result"].filter((x) => x !== false);
		content("all", h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": "All configurations" }, h("table", { class: "plain" }, h("thead", {}, h("tr", {}, heads.map((x) => h("th", { class: ["Rows", "Median", ""].includes(x) ? "number" : null }, x)))),
			h("tbody", {}, list.map((r) => h("tr", {}, many.pipeline ? h("td", {}, r.pipeline) : null, many.data ? h("td", {}, r.data) : null, many.rows ? h("td", { class: "number" }, count(r.rows)) : null,
				h("td", {}, r.device), h("td", {}, r.level), many.schedule ? h("td", {}, r.schedule || "default") : null, h("td", { class: "number" }, time(r.median_ns)), h("td", { class: "number" }, r.median_ns ? spread(r) : ""),
				h("td", {}, r.status + (r.partial ? ", interrupted" : "") + (r.problem && r.status !== "agrees" ? ": " + clip(r.problem, 90) : ""))))))),
			list.length < results.length ? h("button", { type: "button", onclick: () => { showAll = true; renderAll(); } }, `Show all ${results.length}`) : null);
	}

	// The theme.
	const themes = ["automatic", "light", "dark"];
	const dark = matchMedia("(prefers-color-scheme: dark)");
	let theme = "automatic";
	try { theme = localStorage.getItem("kgen-theme") || theme; } catch { /* a file need not have storage */ }
	function applyTheme() {
		root.dataset.theme = theme === "automatic" ? (dark.matches ? "dark" : "light") : theme;
		document.getElementById("theme").textContent = "Theme: " + theme;
		if (plot) renderCurve();
	}
	document.getElementById("theme").addEventListener("click", () => {
		theme = themes[(themes.indexOf(theme) + 1) % themes.length];
		try { localStorage.setItem("kgen-theme", theme); } catch { /* as above */ }
		applyTheme();
	});
	dark.addEventListener("change", applyTheme);

	// A control that was used keeps the focus when its section is drawn again.
	function render() {
		const active = document.activeElement, section = active && active.closest("section[id]");
		const at = section ? [...section.querySelectorAll("button")].indexOf(active) : -1;
		showChoices();
		for (const draw of [renderFigure, renderLevels, renderSource, renderGraph, renderBars, renderHeat, renderCurve, renderApart, renderText, renderAll]) draw();
		if (at >= 0) {
			const again = section.querySelectorAll("button")[at];
			if (again) again.focus({ preventScroll: true });
		}
	}
	renderChoices();
	applyTheme();
	render();
})().catch((problem) => { document.getElementById("chosen").textContent = "This browser cannot show the page: " + problem; });
