// The page: time, window, selection, keys and controls, and all parts of it.

const SPEEDS = [[1, "1"], [0.1, "1/10"], [0.01, "1/100"], [0.001, "1/1000"], [1e-4, "1/10 000"], [1e-5, "1/100 000"]];
const FOUND_MAX = 40;
const byId = (id) => document.getElementById(id);

class App {
  constructor(runs, comparison) {
    const from = Math.min(...runs.map((run) => run.begin)), to = Math.max(...runs.map((run) => run.finish));
    Object.assign(this, { runs, comparison, range: { from, to }, view: { from, to }, time: from, selection: null, filter: "", open: new Set(), playing: null, speed: 0.001 });
    this.colours = readColours();
    this.parts = runs.map((run) => this.makeRun(run));
    this.detail = new DetailPanel(this, byId("detail"));
    this.active = this.parts[0].timeline;
  }

  makeRun(run) {
    const [stage, overview, rows] = ["stage", "overview", "rows"].map((name) => element("canvas", { class: name }));
    overview.style.height = `${Math.min(96, 14 * (run.boards.length + 1) + 8)}px`;
    const heading = this.runs.length > 1 ? element("h2", {}, run.names.title) : null;
    byId("runs").append(element("div", { class: "run" }, heading, this.legend(run), stage, overview, rows));
    const part = { run, stage: new Stage(run, this, stage), timeline: new Timeline(run, this, rows, overview) };
    part.timeline.layout();
    rows.addEventListener("focus", () => { this.active = part.timeline; });
    return part;
  }

  legend(run) {
    const chips = run.names.cause_names.slice(0, 9).map((name, at) => element("span", {}, element("i", { style: `background:var(--${["program", "system", "ready", "link", "token", "wire", "medium", "kept", "notification"][at]})` }), name));
    return element("div", { class: "legend" }, chips);
  }

  draw() {
    this.pending = false;
    for (const { stage, timeline } of this.parts) { stage.draw(); timeline.draw(); }
    byId("time").textContent = timeText(this.time);
    if (!this.playing) this.detail.draw();
  }
  redraw() {
    if (this.pending) return;
    this.pending = true;
    requestAnimationFrame(() => this.draw());
  }
  layout() { this.parts.forEach(({ timeline }) => timeline.layout()); this.redraw(); }

  setTime(time) {
    this.time = Math.round(Math.max(this.range.from, Math.min(this.range.to, time)));
    this.redraw();
  }
  setView(from, to) {
    const all = this.range.to - this.range.from, wide = Math.min(all, Math.max(50, to - from));
    const begin = Math.max(this.range.from, Math.min(from, this.range.to - wide));
    this.view = { from: begin, to: begin + wide };
    this.redraw();
  }
  zoom(factor, about = this.time) {
    const { from, to } = this.view, fixed = Math.max(from, Math.min(to, about));
    this.setView(fixed - (fixed - from) * factor, fixed + (to - fixed) * factor);
  }
  /** The cursor goes there, and the window if need be. */
  show(time) {
    this.setTime(time);
    const { from, to } = this.view, half = (to - from) / 2;
    if (time < from || time > to) this.setView(time - half, time + half);
  }
  select(selection) {
    if (selection && !selection.run.isComplete) return; // its details are not there yet
    this.selection = selection;
    this.redraw();
  }
  toggle(key) {
    if (!this.open.delete(key)) this.open.add(key);
    this.layout();
  }

  /** The processes to which steps are narrowed: the filter's, or the selected one; null: all. */
  stepped(run) {
    const wanted = this.filter.trim().toLowerCase();
    if (wanted) {
      const names = (process) => [run.fullName(process), ...run.programNames(process)];
      return Array.from({ length: run.processCount }, (_, process) => process).filter((process) => names(process).some((name) => name.toLowerCase().includes(wanted)));
    }
    return this.selection?.run === run && this.selection.process !== undefined ? [this.selection.process] : null;
  }
  step(forward) {
    const { run } = this.active;
    if (!run.isComplete) return;
    const time = nextEvent(run, this.time, forward, this.stepped(run));
    if (time !== null) this.show(time);
  }

  play() {
    if (this.playing) { this.playing = null; byId("play").textContent = "▶ Play"; return this.redraw(); }
    if (this.time >= this.range.to) this.time = this.range.from;
    this.playing = { from: this.time, since: performance.now(), speed: this.speed };
    byId("play").textContent = "❚❚ Stop";
    requestAnimationFrame((now) => this.frame(now));
  }
  frame(now) {
    if (!this.playing) return;
    const { from, since, speed } = this.playing, time = from + Math.max(0, now - since) * 1e6 * speed;
    this.time = Math.round(Math.min(time, this.range.to));
    const wide = this.view.to - this.view.from;
    if (this.time > this.view.to || this.time < this.view.from) this.setView(this.time - wide * 0.1, this.time + wide * 0.9);
    this.draw();
    if (this.time >= this.range.to) return this.play();
    requestAnimationFrame((next) => this.frame(next));
  }
  setSpeed(speed) {
    this.speed = speed;
    if (this.playing) this.playing = { from: this.time, since: performance.now(), speed };
  }

  /** Programs, processes, entries and system calls with this text. */
  search(text) {
    const wanted = text.trim().toLowerCase(), found = [];
    if (!wanted || !this.runs.every((run) => run.isComplete)) return found;
    const add = (name, what, select, time) => { if (found.length < FOUND_MAX && name.toLowerCase().includes(wanted)) found.push({ name, what, select, time }); };
    for (const run of this.runs) {
      run.names.program_names.forEach((name, program) => add(`${name} ${run.program.pid[program]}`, `program on ${run.boardName(run.board(run.program.process[program]))}`,
        { run, process: run.program.process[program], program }, run.program.begin[program]));
      for (let process = 0; process < run.processCount; process++) add(run.fullName(process), "process", { run, process });
      const seen = new Set();
      for (let call = 0; call < run.call.caller.length && found.length < FOUND_MAX; call++) {
        const key = run.process.kind[run.call.server[call]] * 256 + run.call.entry[call];
        if (seen.has(key)) continue;
        seen.add(key);
        add(`${run.kind(run.call.server[call])}.${run.entry(call)}`, "first such call", { run, call }, run.call.begin[call]);
      }
      const numbers = new Set();
      run.system_call.number.forEach((number, row) => {
        if (numbers.has(number)) return;
        numbers.add(number);
        add(`${run.systemCallName(row)}()`, "first such system call", { run, process: run.system_call.process[row] }, run.system_call.begin[row]);
      });
    }
    return found;
  }
  showFound(found) {
    const choose = (one) => { if (one.time !== undefined) this.show(one.time); this.select(one.select); byId("found").hidden = true; };
    byId("found").replaceChildren(...found.map((one) => element("button", { role: "option", onclick: () => choose(one) }, one.name, element("small", {}, one.what))));
    byId("found").hidden = !found.length;
    return choose;
  }

  connect() {
    const on = (id, act) => byId(id).addEventListener("click", act);
    on("begin", () => this.show(this.range.from));
    on("end", () => this.show(this.range.to));
    on("back", () => this.step(false));
    on("forward", () => this.step(true));
    on("play", () => this.play());
    on("zoom_in", () => this.zoom(0.5));
    on("zoom_out", () => this.zoom(2));
    on("zoom_all", () => this.setView(this.range.from, this.range.to));
    on("help_button", () => byId("help").showModal());
    on("theme", () => this.setTheme(!document.documentElement.classList.contains("dark")));
    byId("speed").append(...SPEEDS.map(([speed, name]) => element("option", speed === this.speed ? { value: speed, selected: "" } : { value: speed }, name)));
    byId("speed").addEventListener("change", (event) => this.setSpeed(Number(event.target.value)));
    byId("filter").addEventListener("input", (event) => { this.filter = event.target.value; this.layout(); });
    byId("search").addEventListener("input", (event) => this.showFound(this.search(event.target.value)));
    byId("search").addEventListener("keydown", (event) => {
      const found = this.search(event.target.value);
      if (event.key === "Enter" && found.length) this.showFound(found)(found[0]);
      if (event.key === "ArrowDown") byId("found").querySelector("button")?.focus();
    });
    document.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("resize", () => this.redraw());
    const dark = matchMedia("(prefers-color-scheme: dark)");
    dark.addEventListener("change", () => this.setTheme(dark.matches));
    window.addEventListener("beforeprint", () => this.beforePrint());
    window.addEventListener("afterprint", () => this.afterPrint());
    this.setTheme(dark.matches);
  }
  /** Paper is light, and has room for all rows. */
  beforePrint() {
    this.themeOnScreen = document.documentElement.classList.contains("dark");
    for (const { timeline } of this.parts) timeline.canvas.style.cssText = `flex:none;height:${timeline.total + RULER + 4}px`;
    this.setTheme(false);
    this.draw();
  }
  afterPrint() {
    for (const { timeline } of this.parts) timeline.canvas.style.cssText = "";
    this.setTheme(this.themeOnScreen);
  }
  setTheme(dark) {
    document.documentElement.classList.toggle("dark", dark);
    this.colours = readColours();
    this.redraw();
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const typing = event.target.matches?.("input, select");
    if (event.key === "Escape") { byId("found").hidden = true; document.activeElement?.blur?.(); return this.select(null); }
    if (typing || (event.target.matches?.("button") && [" ", "Enter"].includes(event.key))) return;
    const { timeline } = { timeline: this.active }, quarter = (this.view.to - this.view.from) / 4;
    const acts = {
      " ": () => this.play(), "+": () => this.zoom(0.5), "=": () => this.zoom(0.5), "-": () => this.zoom(2), 0: () => this.setView(this.range.from, this.range.to),
      ArrowLeft: () => event.shiftKey ? this.setView(this.view.from - quarter, this.view.to - quarter) : this.step(false),
      ArrowRight: () => event.shiftKey ? this.setView(this.view.from + quarter, this.view.to + quarter) : this.step(true),
      ArrowUp: () => timeline.move(-1), ArrowDown: () => timeline.move(1), Home: () => this.show(this.range.from), End: () => this.show(this.range.to),
      Enter: () => { if (timeline.chosen >= 0) timeline.chooseRow(timeline.rows[timeline.chosen], this.time); },
      "/": () => byId("search").focus(), f: () => byId("filter").focus(), "?": () => byId("help").showModal(),
    };
    if (!acts[event.key]) return;
    event.preventDefault();
    acts[event.key]();
  }
}

async function start() {
  const data = JSON.parse(byId("data").textContent);
  if (typeof DecompressionStream === "undefined") throw new Error("this browser has no DecompressionStream: a newer one has");
  const runs = [], tables = data.runs.map(() => ({}));
  for (const [at, packed] of data.runs.entries()) {
    await readColumns(packed.first, `columns-${at}-0`, tables[at]);
    runs.push(new Run(packed, tables[at]));
  }
  const [first] = runs, names = runs.map((run) => run.names.title).join(" and ");
  document.title = `${names}: Renga`;
  byId("title").textContent = names;
  byId("facts").textContent = runs.map(facts).join("; ");
  const app = new App(runs, data.comparison), place = new URLSearchParams(location.hash.slice(1));
  app.connect();
  if (first.program.begin.length) app.setTime(first.program.begin[0]);
  app.draw();
  document.documentElement.dataset.opened = String(Math.round(performance.now()));
  // The picture is shown before the rest is read.
  await new Promise((done) => setTimeout(done, 0));
  for (const [at, run] of runs.entries()) {
    await readColumns(data.runs[at].rest, `columns-${at}-1`, tables[at]);
    run.complete(tables[at]);
  }
  document.documentElement.dataset.complete = String(Math.round(performance.now()));
  app.draw();
  if (place.has("test")) selfTest(app);
  else showPlace(app, place);
}

function facts(run) {
  const cut = run.names.is_cut ? ", cut: the trace has no end" : "";
  return `${run.boards.length} boards, ${timeText(run.finish - run.begin)} of virtual time, ${grouped(run.names.events)} events${cut}`;
}

/** The address may name a time, a window, a search and a theme: #at=…&from=…&to=…&search=…&open=…, in ns. */
function showPlace(app, place) {
  if (place.has("from")) app.setView(Number(place.get("from")), Number(place.get("to")));
  if (place.has("at")) app.show(Number(place.get("at")));
  if (place.has("theme")) app.setTheme(place.get("theme") === "dark");
  for (const key of place.getAll("open")) app.toggle(key);
  const found = place.has("search") ? app.search(place.get("search")) : [];
  if (found.length) { app.select(found[0].select); if (!place.has("at") && found[0].time !== undefined) app.show(found[0].time); }
}

start().catch((error) => byId("runs").replaceChildren(element("p", { class: "message" }, `The page cannot be shown: ${error.message}`)));
