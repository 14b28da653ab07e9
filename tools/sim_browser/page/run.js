// One run of a cluster: a fresh instance of the module, its setup, and the actions that the address keeps.
//
// Actions have simulated times, and happen when all else at that time has happened: so an address repeats a run.
"use strict";

// Events and frames from one state to the next; of more only these are drawn.
const WATCHED_MAX = 3000;
// Far beyond any run.
const NEVER_NS = 9e15;

class Run {
  // Throws what is wrong with the system file.
  constructor(compiled, disk, setup, actions) {
    this.setup = setup;
    this.actions = actions.slice();
    this.done = 0;
    this.sim = new SimModule(compiled);
    this.sim.tell("start");
    this.sim.put(disk);
    this.sim.tell("set_disk");
    this.system = setup.system ?? systemText(this.sim, setup);
    this.sim.put(JSON.stringify({ system: this.system, seed: setup.seed, medium: setup.medium }));
    this.scene = taken(this.sim.ask("boot"));
    this.sim.tell("watch", WATCHED_MAX);
    this.state = this.sim.ask("state");
  }

  get now_ns() { return this.state.now_ns; }
  get planned() { return this.actions.length - this.done; }

  // Runs for at most `ns` of simulated time and about `ms` of the browser's; whether it got there.
  advance(ns, ms) {
    const [until_ns, end_ms] = [Math.floor(this.now_ns + ns), performance.now() + ms];
    let now_ns = this.now_ns, reached = true;
    while (now_ns < until_ns) {
      const next = this.actions[this.done];
      const stop_ns = Math.max(now_ns, Math.min(until_ns, next ? next.at_ns : NEVER_NS));
      reached = this.sim.tell("run", ...halves(stop_ns), 2000);
      if (reached) {
        now_ns = stop_ns;
        this.repeat(now_ns);
      }
      if (performance.now() > end_ms && now_ns < until_ns) { reached = false; break; }
    }
    this.look();
    return reached;
  }

  // Runs until something happens.
  step() {
    const next = this.actions[this.done];
    const until_ns = next ? next.at_ns : this.now_ns + 1e9;
    this.sim.tell("step", ...halves(until_ns));
    this.look();
    if (next && this.now_ns >= until_ns) this.repeat(until_ns);
  }

  // Does what is planned up to now.
  repeat(now_ns) {
    while (this.done < this.actions.length && this.actions[this.done].at_ns <= now_ns) {
      this.sim.put(this.actions[this.done].text);
      taken(this.sim.ask("act"));
      this.done++;
    }
  }

  // Does something now; what was planned for later is dropped.
  act(text) {
    this.actions.length = this.done;
    this.sim.put(text);
    taken(this.sim.ask("act"));
    this.look();
    this.actions.push({ at_ns: this.now_ns, text });
    this.done = this.actions.length;
  }

  look() {
    const before = this.state;
    this.state = this.sim.ask("state");
    this.dropped = this.state.events - before.events > this.state.latest.length;
  }

  console() { return this.sim.ask("console"); }
  waits() { return this.sim.ask("waits"); }
}

// The text of a setup's system file.
function systemText(sim, setup) {
  let text = taken(sim.ask("system_text", setup.boards));
  text = text.replace(/mode = "sync"/, `mode = "${setup.mode}"`);
  const other = setup.mode === "sync" ? "async" : "sync";
  return text.replace("[edges]", "[edges]" + setup.edges.map(edge => `\n"${edge}" = "${other}"`).join(""));
}

// The good half of a result.
function taken(result) {
  if (result !== null && typeof result === "object" && "Err" in result) throw new Error(result.Err);
  return result !== null && typeof result === "object" && "Ok" in result ? result.Ok : result;
}

// The bytes of a medium or module in `data.js`.
function decoded(text) {
  return Uint8Array.from(atob(text), letter => letter.charCodeAt(0));
}

function medium(data) {
  const bytes = new Uint8Array(data.bytes);
  for (const [at, page] of Object.entries(data.pages)) bytes.set(decoded(page), Number(at));
  return bytes;
}

if (typeof module !== "undefined") module.exports = { Run, systemText, taken };
