// The rows of the time line: what each is about, which are shown, and how each is drawn.

const GROUP_SHOWN_MAX = 150;

/** The colours of the page, from its style. */
function readColours() {
  const style = getComputedStyle(document.documentElement), colours = {};
  for (const name of ["back", "raised", "line", "text", "dim", "accent", "program", "system", "ready", "link", "token", "wire", "medium",
    "kept", "notification", "unknown", "off", "cursor", "select", "on_colour"]) colours[name] = style.getPropertyValue(`--${name}`).trim();
  colours.causes = ["program", "system", "ready", "link", "token", "wire", "medium", "kept", "notification", "unknown"].map((name) => colours[name]);
  return colours;
}

/** All rows of a run; groups that are closed have none below them. */
function makeRows(run, open, filter) {
  const rows = [], wanted = filter.trim().toLowerCase();
  const matches = (text) => !wanted || text.toLowerCase().includes(wanted);
  if (run.mark.time.length) rows.push({ type: "marks", label: "phases", height: 18 });
  if (run.frame.time.length) {
    rows.push({ type: "link", label: "link: frames", height: 20 });
    rows.push({ type: "token", label: "link: token", height: 12 });
  }
  for (const board of run.boards) {
    const group = [];
    run.cores.forEach((core, at) => {
      if (core.board === board.number) group.push({ type: "core", core: at, board: board.number, label: `core ${core.core}`, height: 22 });
    });
    if (board.disk.rows.length) group.push({ type: "disk", board: board.number, label: "disk", height: 16 });
    const slots = run.slotsOf(board.number).filter((slot) => matches(run.name(slot)) || run.programNames(slot).some(matches));
    for (const process of slots) group.push({ type: "program", process, board: board.number, label: run.name(process), height: 30 });
    group.push(...processRows(run, board.number, open, matches, Boolean(wanted)));
    rows.push({ type: "board", board: board.number, label: `board ${board.name}`, height: 24 }, ...group);
  }
  return rows;
}

/** System processes, by kind. */
function processRows(run, board, open, matches, filtered) {
  const rows = [], kinds = run.kindsOf(board), key = `board ${board}`;
  const shown = kinds.filter((kind) => !filtered || matches(kind.name) || kind.processes.some((process) => matches(run.name(process))));
  if (!shown.length) return rows;
  const isOpen = filtered || open.has(key);
  rows.push({ type: "group", board, key, isOpen, label: `system, ${kinds.length} kinds`, height: 20 });
  if (!isOpen) return rows;
  for (const kind of shown) {
    const kindKey = `${key} ${kind.name}`;
    if (kind.processes.length === 1) {
      rows.push({ type: "process", process: kind.processes[0], board, label: run.name(kind.processes[0]), height: 20, indent: 1 });
      continue;
    }
    const matching = filtered && !matches(kind.name) ? kind.processes.filter((process) => matches(run.name(process))) : kind.processes;
    const kindOpen = open.has(kindKey) || (filtered && !matches(kind.name));
    rows.push({ type: "kind", kind, board, key: kindKey, isOpen: kindOpen, label: `${kind.name} (${kind.processes.length})`, height: 20, indent: 1 });
    if (!kindOpen) continue;
    for (const process of matching.slice(0, GROUP_SHOWN_MAX)) {
      rows.push({ type: "process", process, board, label: run.name(process), height: 20, indent: 2 });
    }
  }
  return rows;
}

Object.assign(Run.prototype, {
  /** Processes that had programs, by their numbers. */
  slotsOf(board) {
    return this.cached(`slots ${board}`, () => [...new Set(this.program.process)]
      .filter((process) => this.board(process) === board)
      .sort((one, other) => this.process.number[one] - this.process.number[other]));
  },
  programNames(slot) {
    return this.cached(`names ${slot}`, () => [...new Set([...this.programsOf.of(slot)].map((row) => this.names.program_names[row]))]);
  },
  /** Kinds of system processes that ran or called on a board, the busiest first. */
  kindsOf(board) {
    return this.cached(`kinds ${board}`, () => {
      const kinds = new Map(), slots = new Set(this.slotsOf(board));
      for (let process = 0; process < this.processCount; process++) {
        if (this.board(process) !== board || slots.has(process)) continue;
        const ns = this.work[process];
        if (!ns) continue;
        const name = this.kind(process);
        if (!kinds.has(name)) kinds.set(name, { name, ns: 0, processes: [] });
        const kind = kinds.get(name);
        kind.ns += ns;
        kind.processes.push(process);
      }
      for (const kind of kinds.values()) kind.processes.sort((one, other) => this.work[other] - this.work[one]);
      return [...kinds.values()].sort((one, other) => other.ns - one.ns);
    });
  },
  /** The work of all processes of a kind. */
  kindRuns(board, kind) {
    return this.cached(`kind ${board} ${kind.name}`, () => {
      const rows = kind.processes.flatMap((process) => [...this.runsOf.of(process)]);
      return new Spans(Int32Array.from(rows).sort((one, other) => one - other), this.core.time, this.core.end);
    });
  },
});

/** What is drawn: context, run, window, colours, and where the rows lie. */
class Brush {
  constructor(context, run, view, colours, left, width) { Object.assign(this, { context, run, view, colours, left, width }); }
  x(time) { return this.left + (time - this.view.from) / (this.view.to - this.view.from) * this.width; }
  time(x) { return this.view.from + (x - this.left) / this.width * (this.view.to - this.view.from); }

  box(x0, x1, y, height, colour) {
    const from = Math.max(x0, this.left), to = Math.min(Math.max(x1, x0 + 0.7), this.left + this.width);
    if (to <= from) return;
    this.context.fillStyle = colour;
    this.context.fillRect(from, y, to - from, height);
  }

  /** Text inside a box, if it has room. */
  label(text, x0, x1, y, height, colour) {
    const from = Math.max(x0, this.left) + 4, room = Math.min(x1, this.left + this.width) - from - 3;
    if (room < 16) return;
    const most = Math.floor(room / 6.9);
    const shown = text.length <= most ? text : most > 3 ? `${text.slice(0, most - 1)}…` : "";
    if (!shown) return;
    this.context.fillStyle = colour;
    this.context.fillText(shown, from, y + height / 2 + 0.5);
  }

  /** Intervals: boxes where they are wide enough, else how much of each pixel they fill, from the bottom up. */
  spans(spans, y, height, colour, text, textColour) {
    const first = Math.max(0, spans.last(this.view.from)), behind = spans.last(this.view.to) + 1;
    if (behind - first < this.width / 3) {
      for (let at = first; at < behind; at++) {
        const x0 = this.x(spans.begin[at]), x1 = this.x(spans.end[at]);
        if (x1 < this.left) continue;
        this.box(x0, x1, y, height, colour);
        if (text && x1 - x0 > 24) this.label(text(spans.rows[at]), x0, x1, y, height, textColour);
      }
      return;
    }
    this.context.fillStyle = colour;
    let before = spans.until(this.view.from);
    const step = (this.view.to - this.view.from) / this.width;
    for (let pixel = 0; pixel < this.width; pixel++) {
      const until = spans.until(this.view.from + (pixel + 1) * step), part = Math.min(1, (until - before) / step);
      before = until;
      const high = Math.max(1, height * part);
      if (part > 0) this.context.fillRect(this.left + pixel, y + height - high, 1, high);
    }
  }
}

const rowPainters = {
  marks(brush, row, y) {
    const { run, colours } = brush;
    run.mark.time.forEach((time, at) => {
      const end = run.mark.time[at + 1] ?? run.finish, name = run.names.mark_names[at];
      brush.box(brush.x(time), brush.x(end) - 1, y + 2, row.height - 4, colours.unknown);
      brush.label(name, brush.x(time), brush.x(end), y, row.height, colours.text);
    });
  },
  link(brush, row, y) {
    const { run, colours, view } = brush;
    const first = Math.max(0, run.wire.last(view.from)), behind = run.wire.last(view.to) + 1;
    if (behind - first < brush.width) {
      for (let at = first; at < behind; at++) {
        const begin = run.frame.time[at];
        brush.box(brush.x(begin - run.frame.token_wait[at]), brush.x(begin), y + row.height - 5, 3, colours.token);
      }
    }
    brush.spans(run.wire, y + 2, row.height - 4, colours.wire, run.isComplete && ((frame) => frameWords(run, frame)), colours.on_colour);
  },
  token(brush, row, y) {
    const { run, colours, view } = brush;
    const first = Math.max(0, upperBound(run.token.time, view.from) - 1), behind = upperBound(run.token.time, view.to);
    const step = Math.max(1, Math.floor((behind - first) / brush.width / 2));
    for (let at = first; at < behind; at += step) {
      const end = run.token.time[at + step] ?? run.finish, board = run.token.board[at], part = row.height / run.boards.length;
      brush.box(brush.x(run.token.time[at]), brush.x(end), y + board * part, Math.max(2, part - 1), colours.token);
    }
  },
  board(brush, row, y) {
    const { run, colours } = brush;
    for (const [from, to] of run.boards[row.board].off) {
      brush.box(brush.x(from), brush.x(to), y + 3, row.height - 6, colours.off);
      brush.label("stopped", brush.x(from), brush.x(to), y, row.height, colours.on_colour);
    }
  },
  core(brush, row, y) {
    const { run, colours } = brush, core = run.cores[row.core], height = row.height - 4;
    const whose = (at) => run.coreWords(at);
    brush.box(brush.left, brush.left + brush.width, y + 2, height, colours.raised);
    const count = [core.programs, core.system].map((spans) => spans.last(brush.view.to) - spans.last(brush.view.from));
    if (Math.max(...count) < brush.width / 4) {
      brush.spans(core.system, y + 2, height, colours.system, whose, colours.text);
      brush.spans(core.programs, y + 2, height, colours.program, whose, colours.on_colour);
    } else {
      // Both fill pixels in part: the programs' from below, the system's above them.
      stackedSpans(brush, core.programs, core.system, y + 2, height);
    }
  },
  disk(brush, row, y) {
    const { run, colours } = brush;
    const words = (at) => `${run.transfer.writes[at] ? "write" : "read"} ${run.transfer.blocks[at]} at ${run.transfer.first[at]}`;
    brush.spans(run.boards[row.board].disk, y + 2, row.height - 4, colours.medium, words, "#000");
  },
  program(brush, row, y) { paintPrograms(brush, row, y); },
  group(brush, row, y) { brush.box(brush.left, brush.left + brush.width, y + row.height / 2, 1, brush.colours.line); },
  kind(brush, row, y) {
    brush.spans(brush.run.kindRuns(row.board, row.kind), y + 3, row.height - 6, brush.colours.system);
  },
  process(brush, row, y) {
    const { run, colours } = brush;
    if (!run.isComplete) return brush.spans(run.runs(row.process), y + 2, 9, colours.system);
    const words = (call) => `${run.kind(run.call.server[call])}.${run.entry(call)}`;
    brush.spans(run.calls(row.process), y + 12, 6, run.process.proxy[row.process] ? colours.notification : colours.kept);
    brush.spans(run.runs(row.process), y + 2, 9, colours.system);
    const calls = run.calls(row.process), at = calls.last(brush.view.to), from = calls.last(brush.view.from);
    if (at - from > 60) return;
    for (let place = Math.max(0, from); place <= at; place++) {
      const x0 = brush.x(calls.begin[place]), x1 = brush.x(calls.end[place]);
      if (x1 - x0 > 60) brush.label(words(calls.rows[place]), x0, x1, y, 13, colours.text);
    }
  },
};

function stackedSpans(brush, below, above, y, height) {
  const { context, view, colours } = brush, step = (view.to - view.from) / brush.width;
  let low = below.until(view.from), high = above.until(view.from);
  for (let pixel = 0; pixel < brush.width; pixel++) {
    const time = view.from + (pixel + 1) * step, lowNow = below.until(time), highNow = above.until(time);
    const lowPart = Math.min(1, (lowNow - low) / step), highPart = Math.min(1 - lowPart, (highNow - high) / step);
    context.fillStyle = colours.raised;
    context.fillRect(brush.left + pixel, y, 1, height);
    context.fillStyle = colours.program;
    context.fillRect(brush.left + pixel, y + height * (1 - lowPart), 1, height * lowPart);
    context.fillStyle = colours.system;
    context.fillRect(brush.left + pixel, y + height * (1 - lowPart - highPart), 1, height * highPart);
    [low, high] = [lowNow, highNow];
  }
}

/** The programs of a slot: their names, and below each what it waits for. */
function paintPrograms(brush, row, y) {
  const { run, colours, view } = brush, rows = run.programsOf.of(row.process);
  const first = Math.max(0, run.programsOf.last(row.process, run.program.begin, view.from));
  let painted = -1;
  for (let place = first; place < rows.length && run.program.begin[rows[place]] < view.to; place++) {
    const program = rows[place], x0 = brush.x(run.program.begin[program]), x1 = brush.x(run.program.end[program]);
    if (x1 < painted + 1) continue; // less than a pixel behind the one before
    painted = x1;
    brush.label(`${run.names.program_names[program]} ${run.program.pid[program]}`, x0, x1, y + 1, 12, colours.text);
    paintPath(brush, program, y + 14, row.height - 17);
  }
}

/** Segments of the path, or of each pixel the cause with most of its time. */
function paintPath(brush, program, y, height) {
  const { run, colours, view } = brush, { path } = run, from = path.starts[program], to = path.starts[program + 1];
  if (from === to) return;
  const first = Math.max(from, upperBound(path.begin, view.from, from, to) - 1), behind = upperBound(path.begin, view.to, from, to);
  if (behind - first < brush.width * 2) {
    for (let at = first; at < behind; at++) {
      const x0 = brush.x(path.begin[at]), x1 = brush.x(path.begin[at] + path.ns[at]);
      brush.box(x0, x1, y, height, colours.causes[path.cause[at]]);
    }
    return;
  }
  const begin = Math.max(view.from, run.program.begin[program]), end = Math.min(view.to, run.program.end[program]);
  const step = (view.to - view.from) / brush.width;
  for (let time = begin; time < end; time += step) {
    const most = mainCause(run, program, time, Math.min(end, time + step));
    const x = Math.round(brush.x(time)); // whole pixels, so that equal neighbours show no seam
    brush.box(x, x + 1, y, height, colours.causes[most]);
  }
}

/** The cause with most time; of very many segments, of some of them. */
function mainCause(run, program, begin, end) {
  const { path } = run, from = path.starts[program], to = path.starts[program + 1], sums = new Float64Array(10);
  const first = Math.max(from, upperBound(path.begin, begin, from, to) - 1), behind = upperBound(path.begin, end, from, to);
  const step = Math.max(1, Math.floor((behind - first) / 32));
  for (let at = first; at < behind; at += step) sums[path.cause[at]] += path.ns[at];
  return sums.indexOf(Math.max(...sums));
}

/** What a core does in a row of its table. */
Run.prototype.coreWords = function (row) {
  const process = this.core.process[row] - 1;
  if (process < 0) return "system";
  if (this.core.activity[row] !== ACTIVITY_PROGRAM) return this.name(process);
  const program = this.programAt(process, this.core.time[row]);
  return program < 0 ? this.name(process) : this.names.program_names[program];
};
