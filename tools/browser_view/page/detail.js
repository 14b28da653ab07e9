// The panel of details, as elements: the selected process, program, call, frame or board; else the run's sums.

/** An element: its name, attributes, and children. */
function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (key === "style") made.style.cssText = value; // by script, which the page's policy allows
    else made.setAttribute(key, value);
  }
  made.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return made;
}

const number = (text) => element("td", { class: "number" }, String(text));
const row = (name, ...numbers) => element("tr", {}, element("td", {}, name), numbers.map(number));
const grouped = (count) => String(count).replace(/\B(?=(\d{3})+$)/g, "\u202f");
const headed = (...names) => element("tr", {}, names.map((name, at) => element("th", at ? { class: "number" } : {}, name)));

class DetailPanel {
  constructor(app, place) { Object.assign(this, { app, place }); }

  draw() {
    const { selection } = this.app, run = selection?.run ?? this.app.runs[0], parts = [run.isComplete ? this.moment(run) : element("p", {}, "Reading calls and states: details follow.")];
    if (selection?.frame !== undefined) parts.push(...this.frame(run, selection.frame));
    else if (selection?.call !== undefined) parts.push(...this.call(run, selection.call));
    else if (selection?.process !== undefined) parts.push(...this.process(run, selection.process, selection.program));
    else if (selection?.board !== undefined) parts.push(...this.board(run, selection.board));
    else parts.push(...this.comparison(), ...this.app.runs.flatMap((one) => this.sums(one)));
    this.place.replaceChildren(...parts.filter(Boolean));
  }

  link(text, select, time) {
    return element("button", { class: "name", onclick: () => { if (time !== undefined) this.app.show(time); this.app.select(select); } }, text);
  }
  processLink(run, process) { return this.link(run.fullName(process), { run, process }); }
  callLink(run, call, text) { return this.link(text ?? `${run.kind(run.call.server[call])}.${run.entry(call)}`, { run, call }); }
  timeLink(time) { return element("button", { class: "name", onclick: () => this.app.show(time) }, timeText(time)); }

  moment(run) {
    const lines = eventsAt(run, this.app.time);
    if (!lines.length) return null;
    return element("div", {}, element("h3", {}, `At ${timeText(this.app.time)}`), lines.map((line) => element("p", {}, line)));
  }

  /** A bar of parts, and a table of them: pairs of name, ns and colour. */
  parts(parts, total) {
    const whole = Math.max(1, total), shown = parts.filter(([, ns]) => ns > 0);
    const bar = element("div", { class: "bar", role: "img", "aria-label": shown.map(([name, ns]) => `${name} ${shortTime(ns)}`).join(", ") },
      shown.map(([, ns, colour]) => element("span", { style: `width:${ns / whole * 100}%;background:${colour}` })));
    const line = ([name, ns, colour]) => element("tr", {}, element("td", {}, element("i", { class: "chip", style: `background:${colour}` }), name),
      number(timeText(ns)), number(`${(ns / whole * 100).toFixed(1)} %`));
    return [bar, element("table", {}, parts.map(line))];
  }

  /** The chain from a process on. */
  chain(run, process) {
    const chain = chainAt(run, process, this.app.time);
    const links = chain.links.map((link) => element("li", {}, this.processLink(run, link.process), link.proxy ? element("small", {}, " (proxy)") : null,
      element("br"), element("small", {}, link.across ? "calls across the link " : "calls "), this.callLink(run, link.call),
      element("small", {}, `, for ${shortTime(this.app.time - run.call.begin[link.call])}`)));
    const end = chain.onLink ? "the link" : this.processLink(run, chain.end);
    return [element("h3", {}, "Waits for"), element("ol", { class: "chain" }, links, element("li", {}, end, element("br"), element("small", {}, chain.what)))];
  }

  process(run, process, chosen) {
    const { time } = this.app, program = chosen ?? run.programAt(process, time), isProgram = program >= 0;
    const title = isProgram ? `${run.names.program_names[program]}, pid ${run.program.pid[program]}` : run.fullName(process);
    const parts = [element("h2", {}, title), element("p", {}, isProgram ? `${run.fullName(process)}: ` : "", processWords(run, process, time))];
    const call = run.systemCallAt(process, time);
    if (call >= 0) parts.push(element("p", {}, `in ${run.systemCallName(call)}() for ${shortTime(time - run.system_call.begin[call])}`));
    parts.push(...this.chain(run, process));
    if (isProgram) parts.push(...this.criticalPath(run, program));
    const calls = run.calls(process), { from, to } = this.app.view;
    const busy = run.runs(process);
    parts.push(element("h3", {}, "In this window"), element("table", {}, row("has a core as system", timeText(busy.until(to) - busy.until(from))),
      row("waits in its calls", timeText(calls.until(to) - calls.until(from)))));
    parts.push(...this.lastCalls(run, process));
    return parts;
  }

  lastCalls(run, process) {
    const rows = run.callsOf.of(process), last = run.callsOf.last(process, run.call.begin, this.app.time);
    if (!rows.length) return [];
    const shown = [...rows.slice(Math.max(0, last - 7), last + 5)];
    const line = (call) => element("tr", {}, element("td", {}, this.callLink(run, call), element("br"), element("small", {}, `at ${timeText(run.call.begin[call])}`)),
      number(shortTime(run.call.ns[call])));
    return [element("h3", {}, "Its calls about now"), element("table", {}, shown.map(line))];
  }

  criticalPath(run, program) {
    const from = run.path.starts[program], to = run.path.starts[program + 1], sums = new Float64Array(10), { colours } = this.app;
    for (let at = from; at < to; at++) sums[run.path.cause[at]] += run.path.ns[at];
    const parts = [...sums].map((ns, cause) => [run.names.cause_names[cause], ns, colours.causes[cause]]).filter(([, ns]) => ns > 0);
    parts.sort((one, other) => other[1] - one[1]);
    const ends = new Map();
    for (let at = from; at < to; at++) {
      const key = `${run.path.process[at]} ${run.path.cause[at]}`, known = ends.get(key);
      if (!known) ends.set(key, { at, longest: at, ns: run.path.ns[at] });
      else { known.ns += run.path.ns[at]; if (run.path.ns[at] > run.path.ns[known.longest]) known.longest = at; }
    }
    const top = [...ends.values()].sort((one, other) => other.ns - one.ns).slice(0, 10);
    const line = ({ at, longest, ns }) => element("tr", {}, element("td", {}, run.fullName(run.path.process[at]), element("br"),
      element("small", {}, `${run.names.cause_names[run.path.cause[at]]}; longest `), element("button", { class: "name", onclick: () => this.app.show(run.path.begin[longest]) }, shortTime(run.path.ns[longest]))),
    number(timeText(ns)));
    return [element("h3", {}, `Critical path: ${timeText(run.program.ns[program])}`), ...this.parts(parts, run.program.ns[program]),
      element("p", {}, element("button", { onclick: () => this.app.setView(run.program.begin[program], run.program.end[program]) }, "Show the program's time")),
      element("h3", {}, "Where it waits"), element("table", {}, top.map(line))];
  }

  call(run, call) {
    const { colours } = this.app, flags = run.call.flags[call], remote = run.isRemote(call), total = run.call.ns[call];
    const server = run.call.server_ns[call], wire = run.call.wire_ns[call], token = run.call.token_ns[call];
    const wait = run.call.accept[call] ? run.call.accept[call] - 1 : total;
    const parts = remote
      ? [["software", total - server - wire - token, colours.link], ["token", token, colours.token], ["wire", wire, colours.wire], ["server", server, colours.system]]
      : [["waits to be taken", wait, colours.kept], ["server", total - wait, colours.system]];
    const notes = [[CALL_RELEASED, "The caller went on before it was carried out."], [CALL_FORWARDED, "The server forwarded it."],
      [CALL_ABANDONED, "It has no answer: a board stopped."], [CALL_OPEN, "The trace ends before it."]];
    const carrier = run.call.made_by[call] - 1, carried = run.call.made_for[call] - 1, frames = run.framesOf.of(call);
    return [
      element("h2", {}, `${run.kind(run.call.server[call])}.${run.entry(call)}`),
      element("p", {}, this.processLink(run, run.call.caller[call]), " → ", this.processLink(run, run.call.server[call])),
      element("p", {}, "from ", this.timeLink(run.call.begin[call]), " for ", timeText(total)),
      ...notes.filter(([flag]) => flags & flag).map(([, text]) => element("p", {}, text)),
      element("h3", {}, "Parts"), ...this.parts(parts, total),
      element("p", {}, element("button", { onclick: () => this.app.setView(run.call.begin[call] - total * 0.1, run.call.end[call] + total * 0.1) }, "Show the call's time")),
      carrier >= 0 ? element("p", {}, "carried there by ", this.callLink(run, carrier, run.fullName(run.call.caller[carrier]))) : null,
      carried >= 0 ? element("p", {}, "carries ", this.callLink(run, carried, `the call of ${run.fullName(run.call.caller[carried])}`)) : null,
      ...this.frames(run, frames), ...this.nested(run, carrier >= 0 ? carrier : call),
    ];
  }

  frames(run, frames) {
    if (!frames.length) return [];
    const line = (frame) => element("tr", {}, element("td", {}, this.link(`${run.boardName(run.frame.from[frame])} → ${run.boardName(run.frame.to[frame])}: ${run.names.role_names[run.frame.role[frame]]}`, { run, frame }, run.frame.time[frame])),
      number(run.frame.bytes[frame]), number(shortTime(run.frame.token_wait[frame])), number(shortTime(run.frame.wire[frame])));
    return [element("h3", {}, "Frames"), element("table", {}, headed("frame", "bytes", "token", "wire"), [...frames].slice(0, 40).map(line))];
  }

  /** What the server called meanwhile. */
  nested(run, call) {
    const server = run.call.server[call], rows = run.callsOf.of(server), begin = run.call.begin[call], end = run.call.end[call];
    const first = run.callsOf.last(server, run.call.begin, begin) + 1, found = [];
    for (let at = Math.max(0, first - 1); at < rows.length && run.call.begin[rows[at]] < end && found.length < 20; at++) {
      if (run.call.begin[rows[at]] >= begin) found.push(rows[at]);
    }
    if (!found.length) return [];
    return [element("h3", {}, "The server's calls meanwhile"), element("table", {}, found.map((one) => element("tr", {}, element("td", {}, this.callLink(run, one)), number(timeText(run.call.ns[one])))))];
  }

  frame(run, frame) {
    const call = run.frame.call[frame] - 1;
    return [element("h2", {}, `Frame: ${run.names.role_names[run.frame.role[frame]]}`),
      element("p", {}, `${run.boardName(run.frame.from[frame])} → ${run.boardName(run.frame.to[frame])}, ${run.frame.bytes[frame]} bytes`),
      element("table", {}, row("waits for the token", timeText(run.frame.token_wait[frame])), row("takes the wire at", timeText(run.frame.time[frame])),
        row("on the wire for", timeText(run.frame.wire[frame])), row("arrives after", timeText(run.frame.arrives[frame]))),
      ...(call >= 0 ? this.call(run, call) : [])];
  }

  board(run, board) {
    const { off } = run.boards[board], { from, to } = this.app.view;
    const cores = run.cores.filter((core) => core.board === board);
    const line = (core) => row(core.name, ...[core.programs, core.system].map((spans) => shortTime(spans.until(to) - spans.until(from))));
    const ends = off.flatMap(([begin, end]) => [element("p", {}, "stops at ", this.timeLink(begin)),
      end < run.finish ? element("p", {}, "starts again at ", this.timeLink(end), `, after ${shortTime(end - begin)}`) : element("p", {}, "and does not return")]);
    return [element("h2", {}, `Board ${run.boardName(board)}`), element("h3", {}, "Stops and returns"), ...(ends.length ? ends : [element("p", {}, "It does not stop in this run.")]),
      element("h3", {}, "In this window"), element("table", {}, headed("core", "programs", "system"), cores.map(line)),
      element("h3", {}, "Programs"), element("table", {}, run.slotsOf(board).flatMap((slot) => [...run.programsOf.of(slot)]).slice(0, 100).map((program) => element("tr", {},
        element("td", {}, this.link(`${run.names.program_names[program]} ${run.program.pid[program]}`, { run, process: run.program.process[program], program }, run.program.begin[program])), number(shortTime(run.program.ns[program])))))];
  }

  sums(run) {
    const { summary } = run.names, [frames, bytes, wire, token] = summary.frames;
    const core = ([name, times]) => row(name, ...times.map(shortTime));
    const edge = ([name, , calls, total]) => row(name, grouped(calls), shortTime(total));
    const edges = (remote) => summary.edges.filter((one) => one[1] === remote).slice(0, 12).map(edge);
    return [element("h2", {}, this.app.runs.length > 1 ? run.names.title : "The run"),
      element("p", {}, `${grouped(run.names.events)} events in ${timeText(run.finish - run.begin)}`),
      element("h3", {}, "Cores"), element("table", {}, headed("board", "programs", "system", "idle"), summary.cores.map(core)),
      element("table", {}, row("two boards busy at once", shortTime(summary.overlap_ns)), row("disk busy", shortTime(summary.disk_ns)), row("frames", grouped(frames)),
        row("their bytes", grouped(bytes)), row("on the wire", shortTime(wire)), row("waiting for the token", shortTime(token))),
      element("h3", {}, "Calls between boards"), element("table", {}, headed("edge", "calls", "time"), edges(true)),
      element("h3", {}, "Calls within a board"), element("table", {}, headed("edge", "calls", "time"), edges(false))];
  }

  comparison() {
    const { comparison } = this.app;
    if (!comparison) return [];
    const heading = [element("h2", {}, "Difference")];
    if (comparison.other_names) heading.push(element("p", {}, "The runs are of different systems or settings: their numbers may mean different processes."));
    if (!comparison.first) return [...heading, element("p", {}, "Both runs have the same events.")];
    const { first, edges } = comparison;
    const line = (one) => row(one.edge, ...one.calls.map(grouped), ...one.total_ns.map(shortTime));
    return [...heading, element("p", {}, "The runs part at ", this.timeLink(first.time_ns), "."), ...first.events.map((text) => element("p", {}, text)),
      element("h3", {}, "Calls with other sums: first, second"), element("table", {}, headed("edge", "calls", "", "time", ""), edges.slice(0, 30).map(line))];
  }
}
