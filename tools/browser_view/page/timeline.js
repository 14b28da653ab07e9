// The time line of one run on a canvas: ruler, rows, cursor; what is dragged and clicked; and the strip of the whole run.

const RULER = 24;

/** A canvas of the size of its element, in the screen's pixels. */
function fitCanvas(canvas) {
  const scale = window.devicePixelRatio || 1, { width, height } = canvas.getBoundingClientRect();
  const [wide, high] = [Math.max(1, Math.round(width * scale)), Math.max(1, Math.round(height * scale))];
  if (canvas.width !== wide || canvas.height !== high) [canvas.width, canvas.height] = [wide, high];
  const context = canvas.getContext("2d");
  context.setTransform(scale, 0, 0, scale, 0, 0);
  context.clearRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.font = '12px system-ui, "Segoe UI", "Liberation Sans", "DejaVu Sans", sans-serif';
  return { context, width, height };
}

class Timeline {
  constructor(run, app, canvas, overview) {
    Object.assign(this, { run, app, canvas, overview, scroll: 0, chosen: -1, rows: [] });
    canvas.tabIndex = 0;
    canvas.setAttribute("role", "application");
    canvas.setAttribute("aria-label", `time line of ${run.names.title}; keys: ?`);
    canvas.addEventListener("pointerdown", (event) => this.press(event));
    canvas.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
    canvas.addEventListener("mousemove", (event) => { canvas.title = this.words(event.offsetX, event.offsetY); });
    overview.addEventListener("pointerdown", (event) => this.pressOverview(event));
  }

  labelWidth() { return this.canvas.clientWidth < 560 ? 104 : 168; }
  layout() {
    this.rows = makeRows(this.run, this.app.open, this.app.filter);
    let y = 0;
    for (const row of this.rows) { row.y = y; y += row.height; }
    this.total = y;
    this.chosen = Math.min(this.chosen, this.rows.length - 1);
  }

  draw() {
    const { context, width, height } = fitCanvas(this.canvas), { colours } = this.app, left = this.labelWidth();
    this.scroll = Math.max(0, Math.min(this.scroll, this.total - (height - RULER)));
    const brush = new Brush(context, this.run, this.app.view, colours, left, width - left - 8);
    this.brush = brush;
    context.save();
    context.beginPath();
    context.rect(0, RULER, width, height - RULER);
    context.clip();
    for (const [at, row] of this.rows.entries()) {
      const y = RULER + row.y - this.scroll;
      if (y + row.height < RULER || y > height) continue;
      this.drawRow(brush, row, y, at, width, left);
    }
    context.restore();
    paintOverlay(this, brush, height);
    this.drawRuler(brush, width, height);
    this.drawCursor(brush, height);
    this.drawOverview();
  }

  drawRow(brush, row, y, at, width, left) {
    const { context, colours } = brush;
    if (row.type === "board") { context.fillStyle = colours.raised; context.fillRect(0, y, width, row.height); }
    if (at === this.chosen || this.isSelected(row)) { context.fillStyle = colours.select; context.fillRect(0, y, width, row.height); }
    rowPainters[row.type](brush, row, y);
    context.fillStyle = row.type === "board" ? colours.text : row.indent ? colours.dim : colours.text;
    const font = context.font;
    if (row.type === "board") context.font = context.font.replace("12px", "600 13px");
    const mark = row.isOpen === undefined ? "" : row.isOpen ? "▾ " : "▸ ";
    const indent = 12 + (row.type === "board" ? 0 : 8) + (row.indent ?? 0) * 10, most = Math.floor((left - indent) / 6.1);
    const label = mark + row.label;
    context.fillText(label.length > most ? `${label.slice(0, most - 1)}…` : label, indent, y + row.height / 2);
    context.font = font;
    context.fillStyle = colours.line;
    context.fillRect(0, y + row.height - 0.5, width, 0.5);
  }

  isSelected(row) {
    const { selection } = this.app;
    return selection?.run === this.run && selection.process !== undefined && row.process === selection.process;
  }

  drawRuler(brush, width, height) {
    const { context, colours, view } = brush, step = niceStep((view.to - view.from) / Math.max(2, brush.width / 110));
    context.fillStyle = colours.back;
    context.fillRect(0, 0, width, RULER);
    context.fillStyle = colours.dim;
    const unit = view.to < 1e4 ? [1, "ns"] : view.to < 1e7 ? [1e3, "µs"] : view.to < 1e10 ? [1e6, "ms"] : [1e9, "s"];
    const digits = Math.max(0, Math.ceil(Math.log10(unit[0] / step) - 1e-9));
    for (let time = Math.ceil(view.from / step) * step; time <= view.to; time += step) {
      const x = brush.x(time);
      context.fillStyle = colours.line;
      context.fillRect(x, RULER - 5, 1, 5);
      context.globalAlpha = 0.45;
      context.fillRect(x, RULER, 1, height);
      context.globalAlpha = 1;
      const text = `${(time / unit[0]).toFixed(digits)} ${unit[1]}`;
      if (x + context.measureText(text).width / 2 > width || x - brush.left < -1) continue;
      context.fillStyle = colours.dim;
      context.textAlign = "center";
      context.fillText(text, Math.max(x, brush.left + 18), RULER / 2);
      context.textAlign = "left";
    }
    context.fillStyle = colours.line;
    context.fillRect(0, RULER - 0.5, width, 0.5);
  }

  drawCursor(brush, height) {
    const { context, colours } = brush, x = brush.x(this.app.time);
    if (x < brush.left || x > brush.left + brush.width) return;
    context.fillStyle = colours.cursor;
    context.fillRect(x - 0.75, RULER - 8, 1.5, height);
    context.beginPath();
    context.moveTo(x - 6, RULER - 12);
    context.lineTo(x + 6, RULER - 12);
    context.lineTo(x, RULER - 3);
    context.fill();
  }

  drawOverview() {
    const { context, width, height } = fitCanvas(this.overview), { colours, range, view } = this.app, left = this.labelWidth();
    const brush = new Brush(context, this.run, range, colours, left, width - left - 8), count = this.run.boards.length;
    const part = Math.max(4, (height - 6) / (count + 1));
    this.overviewBrush = brush;
    context.font = context.font.replace("12px", "11px");
    this.run.boards.forEach((board, at) => {
      const y = 3 + at * part, { programs, system } = this.run.shareOf(board.number);
      stackedSpans(brush, programs, system, y, part - 2);
      for (const [from, to] of board.off) brush.box(brush.x(from), brush.x(to), y, part - 2, colours.off);
      if (part >= 10) { context.fillStyle = colours.dim; context.fillText(`board ${board.name}`, 12, y + part / 2 - 1); }
    });
    brush.spans(this.run.wire, 3 + count * part, part - 2, colours.wire);
    if (part >= 10) { context.fillStyle = colours.dim; context.fillText("link", 12, 3 + (count + 0.5) * part - 1); }
    const [x0, x1] = [brush.x(view.from), brush.x(view.to)];
    context.fillStyle = colours.back;
    context.globalAlpha = 0.6;
    context.fillRect(left, 0, x0 - left, height);
    context.fillRect(x1, 0, left + brush.width - x1, height);
    context.globalAlpha = 1;
    context.strokeStyle = colours.accent;
    context.strokeRect(x0 + 0.5, 1, Math.max(2, x1 - x0 - 1), height - 2);
    context.fillStyle = colours.cursor;
    context.fillRect(brush.x(this.app.time) - 0.75, 0, 1.5, height);
  }

  /** Drags the window, or the cursor if begun on the ruler; a press without a drag chooses what is there. */
  press(event) {
    const begin = { x: event.offsetX, y: event.offsetY, view: { ...this.app.view }, scroll: this.scroll };
    const onRuler = begin.y < RULER;
    let dragged = false;
    this.canvas.setPointerCapture(event.pointerId);
    if (onRuler) this.app.setTime(this.brush.time(begin.x));
    this.canvas.onpointermove = (move) => {
      const [dx, dy] = [move.offsetX - begin.x, move.offsetY - begin.y];
      if (onRuler) return this.app.setTime(this.brush.time(move.offsetX));
      if (!dragged && Math.abs(dx) + Math.abs(dy) < 4) return;
      dragged = true;
      const ns = dx / this.brush.width * (begin.view.to - begin.view.from);
      this.scroll = begin.scroll - dy;
      this.app.setView(begin.view.from - ns, begin.view.to - ns);
    };
    this.canvas.onpointerup = () => {
      this.canvas.onpointermove = this.canvas.onpointerup = null;
      if (!dragged && !onRuler) this.choose(begin.x, begin.y);
    };
  }

  pressOverview(event) {
    this.overview.setPointerCapture(event.pointerId);
    const begin = this.overviewBrush.time(event.offsetX);
    let dragged = false;
    this.overview.onpointermove = (move) => {
      const now = this.overviewBrush.time(move.offsetX);
      if (!dragged && Math.abs(move.offsetX - event.offsetX) < 4) return;
      dragged = true;
      this.app.setView(Math.min(begin, now), Math.max(begin, now));
    };
    this.overview.onpointerup = () => {
      this.overview.onpointermove = this.overview.onpointerup = null;
      if (dragged) return;
      const half = (this.app.view.to - this.app.view.from) / 2;
      this.app.setView(begin - half, begin + half);
    };
  }

  wheel(event) {
    event.preventDefault();
    const { view } = this.app;
    if (event.ctrlKey || event.shiftKey) {
      this.app.zoom(Math.exp((event.deltaY || event.deltaX) * 0.002), this.brush.time(event.offsetX));
    } else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      const ns = event.deltaX / this.brush.width * (view.to - view.from);
      this.app.setView(view.from + ns, view.to + ns);
    } else {
      this.scroll += event.deltaY;
      this.app.redraw();
    }
  }

  rowAt(y) {
    if (y < RULER) return -1;
    return this.rows.findIndex((row) => row.y <= y - RULER + this.scroll && y - RULER + this.scroll < row.y + row.height);
  }

  choose(x, y) {
    const at = this.rowAt(y);
    if (at < 0) return;
    this.chosen = at;
    const onLabel = x < this.brush.left, time = onLabel ? this.app.time : this.brush.time(x);
    if (!onLabel) this.app.setTime(time);
    this.chooseRow(this.rows[at], time, y - RULER + this.scroll - this.rows[at].y);
  }

  /** Details of what a row has at a time; a group opens or closes. */
  chooseRow(row, time, within = 0) {
    const { run, app } = this;
    if (row.key && row.type !== "process") return app.toggle(row.key);
    if (!run.isComplete) return;
    app.select(this.hit(row, time, within) ?? { run, board: row.board ?? 0 });
  }

  hit(row, time, within) {
    const { run } = this;
    if (row.type === "core") {
      const at = run.coreAt(row.core, time), process = at < 0 ? -1 : run.core.process[at] - 1;
      return process < 0 ? null : { run, process };
    }
    if (row.type === "link") {
      const pixel = (this.app.view.to - this.app.view.from) / this.brush.width;
      const frame = run.framesAt(time)[0] ?? run.framesAt(time + 2 * pixel)[0] ?? run.framesAt(time - 2 * pixel)[0];
      return frame === undefined ? null : { run, frame };
    }
    if (row.type === "program") {
      const program = run.programAt(row.process, time);
      return program < 0 ? { run, process: row.process } : { run, process: row.process, program };
    }
    if (row.type !== "process") return null;
    const call = run.callAt(row.process, time);
    return call >= 0 && within > 11 ? { run, call, process: row.process } : { run, process: row.process };
  }

  /** What is under the pointer, in words. */
  words(x, y) {
    const row = this.rows[this.rowAt(y)], { run } = this;
    if (!row || x < this.brush.left || !run.isComplete) return "";
    const time = this.brush.time(x), found = this.hit(row, time, y - RULER + this.scroll - row.y);
    if (found?.frame !== undefined) return `${frameWords(run, found.frame)}, ${run.frame.bytes[found.frame]} bytes`;
    if (row.type === "core") { const at = run.coreAt(row.core, time); return at < 0 ? "" : run.core.activity[at] ? run.coreWords(at) : "idle"; }
    if (found?.program !== undefined) {
      const at = run.segmentAt(found.program, time), cause = at < 0 ? "" : `: ${run.names.cause_names[run.path.cause[at]]}, ${run.fullName(run.path.process[at])}`;
      return `${run.names.program_names[found.program]}${cause}`;
    }
    return found?.process !== undefined ? processWords(run, found.process, time) : "";
  }

  /** Another row is chosen by a key. */
  move(by) {
    this.chosen = Math.max(0, Math.min(this.rows.length - 1, this.chosen + by));
    const row = this.rows[this.chosen], height = this.canvas.clientHeight - RULER;
    this.scroll = Math.max(row.y + row.height - height, Math.min(this.scroll, row.y));
    this.app.redraw();
  }
}

function niceStep(least) {
  const power = 10 ** Math.floor(Math.log10(Math.max(1, least)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= least) ?? power * 10;
}
