// The chain of waits of a process, and the events before and after an instant.

const CHAIN_MAX = 32;
const STATE_WORDS = ["unknown", "runs", "ready: waits for the core", "waits for a call", "waits for an alarm or interrupt", "its program runs"];

/**
 * The chain from a process on: links with a process and the call that it has made, the last with what it does. A call
 * between boards that no proxy has made yet ends the chain on the link.
 */
function chainAt(run, process, time) {
  const links = [];
  let at = process;
  for (let depth = 0; depth < CHAIN_MAX; depth++) {
    const call = run.callAt(at, time);
    if (call < 0) break;
    if (!run.isRemote(call)) {
      links.push({ process: at, call });
      at = run.call.server[call];
      continue;
    }
    const carrier = carrierAt(run, call, time);
    links.push({ process: at, call, across: true });
    if (carrier < 0) return { links, end: at, call, onLink: true, what: linkWords(run, call, time) };
    links.push({ process: run.call.caller[carrier], call: carrier, proxy: true });
    at = run.call.server[carrier];
  }
  const call = links.length ? links[links.length - 1].call : -1;
  return { links, end: at, call, onLink: false, what: stateWords(run, at, time, links.length > 0) };
}

/** The call of a proxy that carries `call` at this time; -1: none. */
function carrierAt(run, call, time) {
  const first = run.call.made_by[call] - 1;
  if (first < 0) return -1;
  const now = run.callAt(run.call.caller[first], time);
  return now >= 0 && run.call.made_for[now] === run.call.made_for[first] ? now : -1;
}

function linkWords(run, call, time) {
  for (const row of run.framesOf.of(call)) {
    const begin = run.frame.time[row];
    if (begin <= time && time < run.frame.left[row]) return `${run.names.role_names[run.frame.role[row]]} on the wire`;
    if (begin - run.frame.token_wait[row] <= time && time < begin) return "a frame waits for the token";
  }
  return "the routers work on it";
}

/** What a process does, in words. */
function processWords(run, process, time) {
  const call = run.callAt(process, time);
  return call < 0 ? STATE_WORDS[run.stateAt(process, time)] : `waits in its call ${run.kind(run.call.server[call])}.${run.entry(call)}`;
}

function stateWords(run, process, time, called) {
  const state = run.stateAt(process, time);
  const disk = run.kind(process) === "disk" && run.boards[run.board(process)]?.disk.at(time) >= 0;
  if (disk && (state === 3 || state === 4)) return "waits for the medium";
  if (state === 3 && called) return "keeps the call";
  return STATE_WORDS[state];
}

/** What an event stream may be narrowed to: processes, or null for all. */
function nextEvent(run, time, forward, processes) {
  const found = [];
  const near = (numbers, rows) => {
    const value = (at) => numbers[rows ? rows[at] : at], count = rows ? rows.length : numbers.length;
    let from = 0, to = count;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (forward ? value(middle) <= time : value(middle) < time) from = middle + 1; else to = middle;
    }
    if (forward && from < count) found.push(value(from));
    if (!forward && from > 0) found.push(value(from - 1));
  };
  if (processes) {
    for (const process of processes) {
      near(run.state.time, run.statesOf.of(process));
      near(run.call.begin, run.callsOf.of(process));
      near(run.system_call.begin, run.systemCallsOf.of(process));
      near(run.program.begin, run.programsOf.of(process));
    }
  } else {
    [run.state.time, run.call.begin, run.core.time, run.frame.time, run.token.time, run.transfer.begin, run.instant.time,
      run.system_call.begin, run.program.begin, run.mark.time].forEach((times) => near(times));
  }
  if (!found.length) return null;
  return forward ? Math.min(...found) : Math.max(...found);
}

/** What happens at exactly this time, in words. */
function eventsAt(run, time, most = 8) {
  const lines = [];
  const each = (times, words) => {
    for (let row = upperBound(times, time) - 1; row >= 0 && times[row] === time && lines.length < most; row--) lines.push(words(row));
  };
  each(run.mark.time, (row) => `mark ${run.names.mark_names[row]}`);
  each(run.instant.time, (row) => `${run.boardName(run.instant.board[row])}: ${run.names.instant_names[run.instant.kind[row]]}`);
  each(run.call.begin, (row) => `${run.fullName(run.call.caller[row])} calls ${run.fullName(run.call.server[row])}.${run.entry(row)}`);
  each(run.system_call.begin, (row) => `${run.fullName(run.system_call.process[row])}: ${run.systemCallName(row)}()`);
  each(run.frame.time, (row) => `frame ${frameWords(run, row)} takes the wire`);
  each(run.token.time, (row) => `${run.boardName(run.token.board[row])} has the token`);
  each(run.transfer.begin, (row) => `disk ${run.transfer.writes[row] ? "writes" : "reads"} ${run.transfer.blocks[row]} blocks`);
  each(run.state.time, (row) => `${run.fullName(run.state.process[row])}: ${STATE_WORDS[run.state.state[row]]}`);
  return lines;
}

function frameWords(run, row) {
  const role = run.names.role_names[run.frame.role[row]], call = run.isComplete ? run.frame.call[row] - 1 : -1;
  const entry = call >= 0 ? ` ${run.kind(run.call.server[call])}.${run.entry(call)}` : "";
  return `${run.boardName(run.frame.from[row])} → ${run.boardName(run.frame.to[row])}: ${role}${entry}`;
}

/** Nanoseconds with groups of three digits, in the unit that fits. */
function timeText(ns) {
  const [scale, unit, digits] = Math.abs(ns) < 1e6 ? [1e3, "µs", 3] : Math.abs(ns) < 1e9 ? [1e6, "ms", 6] : [1e9, "s", 9];
  if (Math.abs(ns) < 1e3) return `${Math.round(ns)} ns`;
  const [whole, part] = (ns / scale).toFixed(digits).split(".");
  return `${whole}.${part.replace(/(\d{3})(?=\d)/g, "$1\u202f")} ${unit}`;
}

/** The same, with three digits behind the point. */
function shortTime(ns) {
  const size = Math.abs(ns);
  if (size < 1e3) return `${Math.round(ns)} ns`;
  if (size < 1e6) return `${(ns / 1e3).toFixed(size < 1e5 ? 2 : 1)} µs`;
  if (size < 1e9) return `${(ns / 1e6).toFixed(size < 1e8 ? 2 : 1)} ms`;
  return `${(ns / 1e9).toFixed(3)} s`;
}
