// A run: its tables, and where in them an instant is. Every look-up is a binary search.

/** How many of the sorted numbers are at most `value`, from `from` to `to`. */
function upperBound(numbers, value, from = 0, to = numbers.length) {
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (numbers[middle] <= value) from = middle + 1; else to = middle;
  }
  return from;
}

/** Rows of a table by owner; an owner of -1 is none. */
class RowIndex {
  constructor(count, owners) {
    this.starts = new Int32Array(count + 1);
    for (const owner of owners) if (owner >= 0) this.starts[owner + 1]++;
    for (let at = 0; at < count; at++) this.starts[at + 1] += this.starts[at];
    const next = this.starts.slice();
    this.rows = new Int32Array(this.starts[count]);
    for (let row = 0; row < owners.length; row++) if (owners[row] >= 0) this.rows[next[owners[row]]++] = row;
  }

  of(owner) { return this.rows.subarray(this.starts[owner], this.starts[owner + 1]); }

  /** The place among an owner's rows of the last that begins at `time` or before; -1: none. */
  last(owner, begins, time) {
    let from = this.starts[owner], to = this.starts[owner + 1];
    const first = from;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (begins[this.rows[middle]] <= time) from = middle + 1; else to = middle;
    }
    return from - first - 1;
  }

  /** The last row of an owner that begins at `time` or before; -1: none. */
  lastRow(owner, begins, time) {
    const place = this.last(owner, begins, time);
    return place < 0 ? -1 : this.rows[this.starts[owner] + place];
  }
}

/** Intervals in the order of their beginnings, with the sum of their lengths up to each. */
class Spans {
  constructor(rows, begins, ends) {
    const count = rows.length;
    this.rows = rows;
    this.begin = new Float64Array(count);
    this.end = new Float64Array(count);
    this.sum = new Float64Array(count + 1);
    for (let at = 0; at < count; at++) {
      this.begin[at] = begins[rows[at]];
      this.end[at] = ends[rows[at]];
      this.sum[at + 1] = this.sum[at] + this.end[at] - this.begin[at];
    }
  }

  /** The place of the last that begins at `time` or before; -1: none. */
  last(time) { return upperBound(this.begin, time) - 1; }

  /** The row of the interval at `time`; -1: none. */
  at(time) {
    const last = this.last(time);
    return last >= 0 && time < this.end[last] ? this.rows[last] : -1;
  }

  /** How much of the time until `time` they fill. */
  until(time) {
    const last = this.last(time);
    return last < 0 ? 0 : this.sum[last] + Math.min(time, this.end[last]) - this.begin[last];
  }

  total() { return this.sum[this.rows.length]; }
}

const ACTIVITY_SYSTEM = 1, ACTIVITY_PROGRAM = 2, ACTIVITY_OFF = 3;
const CALL_ABANDONED = 1, CALL_FORWARDED = 2, CALL_RELEASED = 4, CALL_OPEN = 8;
const BOARD_STOPS = 6, BOARD_STARTS = 7;

class Run {
  /** Of the columns that the first picture needs; `complete` adds the rest. */
  constructor(packed, columns) {
    Object.assign(this, columns);
    this.isComplete = false;
    this.names = packed;
    this.begin = packed.begin_ns;
    this.finish = Math.max(packed.end_ns, packed.begin_ns + 1);
    this.processCount = this.process.board.length;
    this.cache = new Map();
    this.transfer.end = plus(this.transfer.begin, this.transfer.ns);
    this.program.end = plus(this.program.begin, this.program.ns);
    this.system_call.end = plus(this.system_call.begin, this.system_call.ns);
    this.frame.left = plus(this.frame.time, this.frame.arrives.map((ns, row) => Math.max(ns, this.frame.wire[row])));
    this.systemCallsOf = new RowIndex(this.processCount, this.system_call.process);
    this.programsOf = new RowIndex(this.processCount, this.program.process);
    this.indexCores();
    this.indexBoards();
    this.indexPaths();
    const all = Int32Array.from(this.frame.time, (_, row) => row);
    this.wire = new Spans(all, this.frame.time, this.frame.left);
    this.longest = { frame: longest(this.frame.left, this.frame.time) + longest(this.frame.token_wait) };
  }

  /** Calls and states: what details, steps and search need. */
  complete(columns) {
    this.call = columns.call;
    this.state = columns.state;
    this.call.end = plus(this.call.begin, this.call.ns);
    this.callsOf = new RowIndex(this.processCount, this.call.caller);
    this.statesOf = new RowIndex(this.processCount, this.state.process);
    this.framesOf = new RowIndex(this.call.caller.length, this.frame.call.map((row) => row - 1));
    this.isComplete = true;
  }

  indexCores() {
    this.cores = [];
    this.names.boards.forEach((board, number) => {
      for (let core = 0; core < board.cores; core++) this.cores.push({ board: number, core, name: `core ${core}` });
    });
    this.rowsOfCore = new RowIndex(this.cores.length, this.core.core);
    this.core.end = new Float64Array(this.core.time.length).fill(this.finish);
    this.cores.forEach((core, at) => {
      const rows = this.rowsOfCore.of(at);
      for (let place = 1; place < rows.length; place++) this.core.end[rows[place - 1]] = this.core.time[rows[place]];
      const such = (activity) => new Spans(rows.filter((row) => this.core.activity[row] === activity), this.core.time, this.core.end);
      core.programs = such(ACTIVITY_PROGRAM);
      core.system = such(ACTIVITY_SYSTEM);
    });
    this.work = new Float64Array(this.processCount);
    for (let row = 0; row < this.core.time.length; row++) {
      if (this.core.activity[row] === ACTIVITY_SYSTEM && this.core.process[row]) this.work[this.core.process[row] - 1] += this.core.end[row] - this.core.time[row];
    }
    const running = this.core.process.map((process, row) => this.core.activity[row] === ACTIVITY_SYSTEM ? process - 1 : -1);
    this.runsOf = new RowIndex(this.processCount, running);
  }

  indexBoards() {
    this.boards = this.names.boards.map((board, number) => {
      const rows = Int32Array.from(this.transfer.begin, (_, row) => row).filter((row) => this.transfer.board[row] === number);
      const off = [];
      let since = null;
      for (let row = 0; row < this.instant.time.length; row++) {
        if (this.instant.board[row] !== number) continue;
        if (this.instant.kind[row] === BOARD_STOPS) since ??= this.instant.time[row];
        if (this.instant.kind[row] === BOARD_STARTS && since !== null) { off.push([since, this.instant.time[row]]); since = null; }
      }
      if (since !== null) off.push([since, this.finish]);
      return { ...board, number, disk: new Spans(rows, this.transfer.begin, this.transfer.end), off };
    });
  }

  /** Segments of critical paths: where each program's begin, and when each does. */
  indexPaths() {
    const count = this.path.ns.length;
    this.path.begin = new Float64Array(count);
    this.path.starts = new Int32Array(this.path.count.length + 1);
    let row = 0;
    this.path.count.forEach((segments, program) => {
      let time = this.program.begin[program];
      for (let at = 0; at < segments; at++, row++) { this.path.begin[row] = time; time += this.path.ns[row]; }
      this.path.starts[program + 1] = row;
    });
  }

  board(process) { return this.process.board[process]; }
  boardName(number) { return this.names.boards[number]?.name ?? (number === 15 ? "all" : "?"); }
  kind(process) { return this.names.kinds[this.process.kind[process] - 1]?.name ?? "?"; }
  name(process) { return `${this.kind(process)} ${this.process.number[process]}`; }
  fullName(process) { return `${this.boardName(this.board(process))}: ${this.name(process)}`; }
  entry(call) {
    const kind = this.names.kinds[this.process.kind[this.call.server[call]] - 1], wanted = this.call.entry[call];
    return kind?.entries.find(([number]) => number === wanted)?.[1] ?? `entry ${wanted}`;
  }
  isRemote(call) { return this.board(this.call.caller[call]) !== this.board(this.call.server[call]); }
  systemCallName(row) { return this.names.system_call_names[this.system_call.number[row]] ?? "?"; }

  stateAt(process, time) {
    const row = this.statesOf.lastRow(process, this.state.time, time);
    return row < 0 ? 0 : this.state.state[row];
  }
  within(row, ends, time) { return row >= 0 && time < ends[row] ? row : -1; }
  callAt(process, time) { return this.within(this.callsOf.lastRow(process, this.call.begin, time), this.call.end, time); }
  systemCallAt(process, time) {
    return this.within(this.systemCallsOf.lastRow(process, this.system_call.begin, time), this.system_call.end, time);
  }
  programAt(process, time) { return this.within(this.programsOf.lastRow(process, this.program.begin, time), this.program.end, time); }
  coreAt(core, time) { return this.rowsOfCore.lastRow(core, this.core.time, time); }
  tokenAt(time) { const at = upperBound(this.token.time, time) - 1; return at < 0 ? -1 : this.token.board[at]; }
  isOff(board, time) { return this.boards[board].off.some(([from, to]) => from <= time && time < to); }
  /** The segment of a program's path at an instant; -1: none. */
  segmentAt(program, time) {
    const from = this.path.starts[program], to = this.path.starts[program + 1];
    const at = upperBound(this.path.begin, time, from, to) - 1;
    return at >= from && time < this.path.begin[at] + this.path.ns[at] ? at : -1;
  }

  /** Frames that wait for the token or are on the wire at `time`. */
  framesAt(time) {
    const found = [];
    for (let row = upperBound(this.frame.time, time - this.longest.frame); row < this.frame.time.length; row++) {
      if (this.frame.time[row] > time + this.longest.frame) break;
      if (this.frame.time[row] - this.frame.token_wait[row] <= time && time < this.frame.left[row]) found.push(row);
    }
    return found;
  }

  /** How much of the time until one a board's cores have spent, on the average, in programs and in the system. */
  shareOf(board) {
    const cores = this.cores.filter((core) => core.board === board);
    const mean = (what) => ({ until: (time) => cores.reduce((sum, core) => sum + core[what].until(time), 0) / Math.max(1, cores.length) });
    return { programs: mean("programs"), system: mean("system") };
  }

  /** Spans of a process's work on cores. */
  runs(process) { return this.cached(`runs ${process}`, () => new Spans(this.runsOf.of(process), this.core.time, this.core.end)); }
  calls(process) { return this.cached(`calls ${process}`, () => new Spans(this.callsOf.of(process), this.call.begin, this.call.end)); }
  cached(key, make) {
    if (!this.cache.has(key)) this.cache.set(key, make());
    return this.cache.get(key);
  }
}

const plus = (begins, lengths) => begins.map((begin, row) => begin + lengths[row]);

/** The largest difference of two arrays, or the largest of one. */
function longest(numbers, from) {
  let most = 0;
  for (let row = 0; row < numbers.length; row++) most = Math.max(most, numbers[row] - (from ? from[row] : 0));
  return most;
}
