// The page: reads the address, plays the run, hands what the user does to it.
"use strict";

// The browser's time that one picture may take for the run, ms, and the longest picture that counts.
const BUDGET_MS = 11, PICTURE_MS_MAX = 50;
const STEP_MS = 130;
// Of a run to a time, what is drawn in the end; what was before has faded.
const BEFORE_MS = 1000;
const LATEST_NS = 1e6;
// How often the slow panels are drawn anew, ms.
const PANELS_MS = 240;

const compiled = new WebAssembly.Module(decoded(SIM_DATA.module));
const drawing = new Drawing(byId("canvas"));
let run = null, playing = false, last_ms = 0, slow_ms = 0, consoleBytes = -1;
let rate = { since_ms: 0, events: 0, shown: 0 };

function report(error) {
  byId("error").hidden = false;
  byId("error").textContent = String(error.message ?? error);
  play(false);
}

// Whatever fails is shown, not lost.
function safely(act) {
  try {
    return act();
  } catch (error) {
    report(error);
    return undefined;
  }
}

function begin(setup, actions = []) {
  const next = new Run(compiled, medium(SIM_DATA.disk), setup, actions);
  run = next;
  byId("error").hidden = true;
  [consoleBytes, shownEvents] = [-1, []];
  drawing.forget();
  drawing.fit(run.scene);
  showSetup(run, act);
  showEdges(run, null, toggle);
  changed();
}

function act(text) {
  byId("error").hidden = true;
  safely(() => {
    run.act(text);
    drawing.take(run);
    changed();
    show();
  });
}

// The address and the list follow what was done.
function changed() {
  history.replaceState(null, "", writeAddress(run.setup, run.actions));
  showActions(run);
}

function toggle(edge) {
  const others = run.setup.edges.filter(other => other !== edge);
  const edges = others.length < run.setup.edges.length ? others : [...run.setup.edges, edge];
  safely(() => begin({ ...run.setup, edges }, run.actions));
}

function play(on) {
  playing = on;
  byId("play").textContent = on ? "Pause" : "Play";
}

function show() {
  showState(run, drawing.layout, rate.shown);
  if (run.state.console_bytes !== consoleBytes) {
    consoleBytes = run.state.console_bytes;
    showConsole(run);
  }
}

function picture(now_ms) {
  const passed_ms = Math.min(now_ms - last_ms, PICTURE_MS_MAX);
  last_ms = now_ms;
  if (playing) {
    safely(() => {
      const before = run.done;
      run.advance(passed_ms * 1e6 * Number(byId("speed").value), BUDGET_MS);
      drawing.take(run);
      if (run.done !== before) showActions(run);
    });
  }
  if (now_ms - rate.since_ms > 1000) {
    rate = { since_ms: now_ms, events: run.state.events, shown: Math.max(0, run.state.events - rate.events) };
  }
  drawing.draw(run, playing ? passed_ms : 0);
  if (playing) show();
  if (now_ms - slow_ms > PANELS_MS) {
    slow_ms = now_ms;
    safely(() => showWaits(run));
  }
  requestAnimationFrame(picture);
}

function advance(go) {
  safely(() => {
    play(false);
    go();
    drawing.take(run);
    drawing.draw(run, STEP_MS);
    show();
    showActions(run);
  });
}

function setupOfControls() {
  const value = id => byId(id).value;
  const seed = Math.max(0, Math.floor(Number(value("seed")) || 0));
  return { ...run.setup, seed, boards: Number(value("boards")), mode: value("mode"), medium: value("medium"), system: null };
}

function listen() {
  byId("play").onclick = () => play(!playing);
  byId("step").onclick = () => advance(() => run.step());
  byId("millisecond").onclick = () => advance(() => run.advance(1e6, 5000));
  byId("boot").onclick = () => safely(() => begin(setupOfControls()));
  byId("place").onclick = () => safely(() => {
    byId("verdict").textContent = "";
    const system = byId("system").value;
    run.sim.put(system);
    const checked = run.sim.ask("check");
    if ("Err" in checked) byId("verdict").textContent = checked.Err;
    else begin({ ...setupOfControls(), system });
  });
  byId("token").onclick = () => act("token");
  for (const id of ["lost", "doubled", "changed"]) {
    byId(id).onchange = () => act(`faults ${byId("lost").value} ${byId("doubled").value} ${byId("changed").value}`);
    byId(id).oninput = () => { byId(id).nextElementSibling.textContent = `${byId(id).value} ‰`; };
  }
  byId("typed").onsubmit = event => {
    event.preventDefault();
    act(`type ${byId("line").value}`);
    byId("line").value = "";
  };
  byId("link").onclick = () => {
    navigator.clipboard?.writeText(location.href);
    byId("link").textContent = "Copied";
    setTimeout(() => { byId("link").textContent = "Copy link"; }, 1200);
  };
  byId("seedsForm").onsubmit = event => {
    event.preventDefault();
    safely(() => runSeeds(byId("seedRange").value));
  };
  byId("canvas").onclick = event => {
    const cell = drawing.layout.cellAt(event.offsetX, event.offsetY);
    drawing.chosen = cell?.key;
    showEdges(run, cell, toggle);
  };
  document.onkeydown = event => {
    if (event.target.matches("input, textarea, select, button, summary")) return;
    if (event.key === " ") { event.preventDefault(); play(!playing); }
    if (event.key === ".") byId("step").click();
  };
  window.onresize = () => drawing.fit(run.scene);
  window.onhashchange = () => safely(() => follow());
}

// Runs seeds, each in an instance of its own; their results, a line each.
function runSeeds(range) {
  const [first, last] = range.split("-").map(text => BigInt(text.trim()));
  const disk = medium(SIM_DATA.seeds);
  const lines = [];
  for (let seed = first; seed <= (last ?? first); seed++) lines.push(seedLine(compiled, disk, seed));
  byId("seedsPanel").open = true;
  byId("seeds").textContent = lines.join("\n");
}

// Does what the address says.
function follow() {
  const address = readAddress(location.hash);
  begin(address.setup, address.actions);
  if (address.seeds) runSeeds(address.seeds);
  if (address.at_ns !== null) {
    const begun_ms = performance.now();
    run.advance(Math.max(0, address.at_ns - LATEST_NS), Infinity);
    drawing.take(run);
    show();
    drawing.clock_ms += BEFORE_MS;
    run.advance(address.at_ns - run.now_ns, Infinity);
    document.body.dataset.ms = performance.now() - begun_ms;
    drawing.take(run);
    drawing.clock_ms += STEP_MS;
  } else {
    play(true);
  }
  showActions(run);
  show();
  showWaits(run);
  drawing.draw(run, 0);
  document.body.dataset.hash = run.state.hash;
  document.body.dataset.events = run.state.events;
}

fillControls();
listen();
safely(follow);
if (run === null) safely(() => begin({ ...DEFAULT_SETUP }));
requestAnimationFrame(picture);
