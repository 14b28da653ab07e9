// What stands beside the canvas: controls, console, counters, edges, events.
"use strict";

const MEDIA = [["none", "no delay"], ["sd", "SD card"], ["hdd-7200", "7200/min disk"], ["hdd-1989", "1989's disk"]];
const EVENTS_SHOWN = 12;
const LEGEND = [["--run", "process that runs or is called"], ["--waits", "process that waits for a reply"],
  ["--program", "trap of a program"],  ["--data", "remote call, data frame"], ["--token", "token"], ["--ack", "acknowledgement"], ["--lost", "lost or damaged"]];

const byId = id => document.getElementById(id);

function element(tag, text, attributes = {}) {
  const made = Object.assign(document.createElement(tag), attributes);
  made.textContent = text;
  return made;
}

// Controls that no run changes.
function fillControls() {
  for (let boards = 1; boards <= 8; boards++) byId("boards").append(new Option(boards, boards));
  for (const [value, text] of MEDIA) byId("medium").append(new Option(text, value));
  for (const [colour, text] of LEGEND) {
    const entry = element("span", text);
    const dot = element("i", "");
    dot.style.background = `var(${colour})`;
    entry.prepend(dot);
    byId("legend").append(entry);
  }
}

// Controls as a new run has them; `act` does something to the cluster.
function showSetup(run, act) {
  const { setup, scene } = run;
  [byId("seed").value, byId("boards").value, byId("mode").value, byId("medium").value] =
    [setup.seed, scene.boards.length, setup.mode, setup.medium];
  byId("system").value = run.system;
  byId("verdict").textContent = "";
  const chosen = byId("where").value;
  byId("where").replaceChildren(...scene.boards.map((board, number) =>
    new Option(board.name, String.fromCharCode(97 + number))));
  const kept = [...byId("where").options].some(option => option.value === chosen && chosen !== "a");
  byId("where").value = kept ? chosen : String.fromCharCode(97 + Math.min(1, scene.boards.length - 1));
  byId("commands").replaceChildren(...run.sim.ask("commands").map(([name, about]) => {
    const button = element("button", name, { title: about });
    button.onclick = () => act(`type ${name} ${byId("where").value} &`);
    return button;
  }));
  byId("power").replaceChildren(...scene.boards.map((board, number) => {
    const row = document.createElement("div");
    row.append(element("b", board.name));
    const buttons = [["power", "kill", "boot"], ["hang", "hang", "resume"], ["wires", "cut", "join"]];
    for (const [what, on, off] of buttons) {
      const button = element("button", on, { id: `${what}${number}` });
      button.onclick = () => act(`${button.textContent} ${number}`);
      Object.assign(button.dataset, { on, off });
      row.append(button);
    }
    return row;
  }));
}

// What changes all the time.
function showState(run, layout, eventsPerSecond) {
  const { state } = run;
  const stopped = state.stopped === null ? "" : ", stopped";
  byId("time").textContent = `${(state.now_ns / 1e9).toFixed(6)} s${stopped}`;
  state.boards.forEach((board, number) => {
    const off = { power: !board.alive, hang: board.hung, wires: board.cut };
    for (const what of Object.keys(off)) {
      const button = byId(`${what}${number}`);
      button.textContent = off[what] ? button.dataset.off : button.dataset.on;
      button.disabled = what === "hang" && !board.alive;
    }
  });
  ["lost", "doubled", "changed"].forEach((name, at) => {
    byId(name).nextElementSibling.textContent = `${byId(name).matches(":active") ? byId(name).value : state.faults[at]} ‰`;
    if (!byId(name).matches(":active")) byId(name).value = state.faults[at];
  });
  showCounters(run, eventsPerSecond);
  showEvents(run, layout);
}

function showCounters(run, eventsPerSecond) {
  const { state, scene } = run;
  const [frames, bytes, tokens, collisions, busy_ns] = state.bus;
  const share = state.now_ns > 0 ? (100 * busy_ns / state.now_ns).toFixed(1) : "0";
  const rows = [["events", state.events], ["events a second here", eventsPerSecond], ["hash", state.hash],
    ["frames", frames], ["bytes in them", bytes], ["bus busy", `${share} %`], ["tokens handed on", tokens],
    ["collisions", collisions]];
  const cells = values => values.map((value, at) => element("td", number(value)));
  const table = rows.map(row => { const tr = document.createElement("tr"); tr.append(...cells(row)); return tr; });
  byId("counters").replaceChildren(...table);
  for (const row of table) row.lastChild.colSpan = scene.boards.length;
  const heads = document.createElement("tr");
  heads.append(...["board", ...scene.boards.map(board => board.name)].map(text => element("th", text)));
  const names = ["calls that waited", "calls released", "frames sent", "sent again"];
  heads.firstChild.className = "first";
  const perBoard = names.map((name, at) => {
    const tr = document.createElement("tr");
    tr.append(...cells([name, ...state.boards.map(board => board.link[at])]));
    return tr;
  });
  byId("counters").append(heads, ...perBoard);
}

function number(value) {
  return typeof value === "number" ? value.toLocaleString("en-GB") : value;
}

let shownEvents = [];

function showEvents(run, layout) {
  const texts = { 1: "is answered", 2: "runs", 3: "traps" };
  const lines = run.state.latest.slice(-EVENTS_SHOWN).map(([time_ns, , what, process, server, op]) => {
    const name = layout.name(...process);
    const text = what === 0 ? `${name} → ${layout.name(...server)} ${layout.entry(...server, op)}`
      : what === 3 ? `the program of ${name} traps` : `${name} ${texts[what]}`;
    return [(time_ns / 1e6).toFixed(4), text];
  });
  if (lines.length === 0) return;
  shownEvents = [...shownEvents, ...lines].slice(-EVENTS_SHOWN);
  byId("events").replaceChildren(...shownEvents.map(([time, text]) => {
    const line = element("li", ` ${text}`, { title: `${time} ms: ${text}` });
    line.prepend(element("time", time));
    return line;
  }));
}

function showConsole(run) {
  byId("console").textContent = run.console();
  byId("console").scrollTop = byId("console").scrollHeight;
}

function showWaits(run) {
  // The graph names processes by board, kind and number, and entries by number.
  const named = line => line.replace(/\.([a-z_]+?)(\d+), entry (\d+)$/, (found, kind, place, op) => {
    const group = run.scene.groups.find(group => group.kind === kind);
    const entry = group?.entries.find(([known]) => known === Number(op));
    return entry ? `.${kind}${place} ${group.protocol}.${entry[1]}` : found;
  }).replace("->", "→");
  byId("waits").replaceChildren(...run.waits().map(named).map(line => element("li", line, { title: line })));
}

function showActions(run) {
  const lines = run.actions.map(({ at_ns, text }, number) => {
    const when = `${(at_ns / 1e6).toFixed(3)} ms: ${text}`;
    return element("li", number < run.done ? when : `${when} (to come)`);
  });
  byId("actions").replaceChildren(...(lines.length > 0 ? lines : [element("li", "nothing yet")]));
}

// The edges of the chosen kind, or those between boards that may be asynchronous; `toggle` switches one.
function showEdges(run, cell, toggle) {
  const { scene } = run;
  const kind = group => scene.groups[group].kind;
  const board = group => scene.boards[scene.groups[group].board].name;
  if (cell) {
    byId("chosenTitle").textContent = `${cell.kind} on board ${scene.boards[cell.board].name}`;
    const own = new Set(cell.groups);
    const line = (edge, calls) => {
      const other = calls ? edge.server : edge.caller;
      const made = element("p", `${calls ? "calls" : "called by"} ${kind(other)} on ${board(other)}: `);
      const entries = edge.entries.join(", ") || "by others' calls";
      made.append(element("span", `${edge.protocol} (${entries})`, { className: "protocol" }));
      const released = edge.released.join(", ");
      if (released) made.append(element("span", ` asynchronous: ${released}`, { className: "released" }));
      return made;
    };
    const first = scene.groups[cell.groups[0]];
    byId("edges").replaceChildren(
      element("p", first.protocol ? `${cell.count} × serves ${first.protocol}` : `${cell.count} × serves no protocol`),
      ...scene.edges.filter(edge => own.has(edge.caller)).map(edge => line(edge, true)),
      ...scene.edges.filter(edge => own.has(edge.server)).map(edge => line(edge, false)));
    return;
  }
  byId("chosenTitle").textContent = "Edges that can be asynchronous";
  const edges = new Map();
  for (const edge of scene.edges.filter(edge => edge.releasable.length > 0)) {
    const name = `${kind(edge.caller)} -> ${kind(edge.server)}`;
    edges.set(name, { protocol: edge.protocol, entries: edge.releasable, released: edge.released.length > 0 });
  }
  byId("edges").replaceChildren(...[...edges].map(([name, edge]) => {
    const label = document.createElement("label");
    const box = element("input", "", { type: "checkbox", checked: edge.released, disabled: run.setup.system !== null });
    box.onchange = () => toggle(name);
    label.append(box, element("span", `${name.replace("->", "→")} `));
    label.lastChild.append(element("span", `${edge.protocol}: ${edge.entries.join(", ")}`, { className: "protocol" }));
    return label;
  }), element("p", edges.size > 0 ? "A switch boots the cluster again, with the same seed." : "One board has none.",
    { className: "protocol" }));
}
