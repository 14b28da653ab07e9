// Draws a run on a canvas: boards, processes, calls between them, frames on the bus.
//
// What has just happened fades: its age is the page's time while the run plays, so that a paused run stands still.
"use strict";

const GLOW_MS = 420, CALL_MS = 520, FRAME_MS = 420;
const CALLS_MAX = 26, LABELS_MAX = 7, FRAMES_MAX = 36;
const FRAME_COLOURS = { Data: "--data", Ack: "--ack", Nak: "--nak", Hello: "--hello", Token: "--token" };

class Drawing {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.clock_ms = 0;
    this.forget();
  }

  forget() {
    [this.calls, this.frames, this.glow, this.waiting] = [[], [], new Map(), new Map()];
    [this.chosen, this.tokenAt] = [null, null];
  }

  // The canvas fits its column.
  fit(scene) {
    const width = Math.max(320, this.canvas.parentElement.clientWidth);
    this.layout = new Layout(scene, width);
    const scale = window.devicePixelRatio || 1;
    this.canvas.width = Math.round(width * scale);
    this.canvas.height = Math.round(this.layout.height * scale);
    this.canvas.style.height = `${this.layout.height}px`;
    this.context.setTransform(scale, 0, 0, scale, 0, 0);
    const style = getComputedStyle(document.documentElement);
    this.colour = name => style.getPropertyValue(name).trim();
  }

  // Takes what has happened since the last state.
  take(run) {
    if (run.dropped) this.waiting.clear();
    for (const [, board, what, process, server, op] of run.state.latest) {
      const where = this.layout.process(process[0], process[1]);
      if (!where) continue;
      if (what === 0) {
        this.wait(where, 1);
        this.call(where, board, server, op);
      } else if (what === 1) {
        this.wait(where, -1);
      }
      this.touch(where, what);
    }
    for (const [, , kind, source, destination, bytes, harmed] of run.state.frames) {
      if (kind === "Token") this.tokenAt = destination;
      if (this.frames.length >= FRAMES_MAX) this.frames.shift();
      this.frames.push({ kind, source, destination, bytes, harmed, since: this.clock_ms });
    }
  }

  // Counts the processes of a dot that wait for a reply.
  wait({ cell, place }, change) {
    const dots = of(this.waiting, cell.key);
    const at = this.layout.dotNumber({ cell, place });
    const count = (dots.get(at) ?? 0) + change;
    if (count > 0) dots.set(at, count);
    else dots.delete(at);
  }

  touch(where, what) {
    of(this.glow, where.cell.key).set(this.layout.dotNumber(where), { since: this.clock_ms, what });
  }

  call(from, board, server, op) {
    const there = this.layout.process(server[0], server[1]);
    if (!there) return;
    const away = server[0] !== from.cell.board;
    const router = away && this.layout.boards[from.cell.board].cells.find(cell => cell.kind === "router");
    const to = router ? { cell: router, place: 0 } : there;
    if (this.calls.length >= CALLS_MAX) this.calls.shift();
    const label = this.layout.entry(server[0], server[1], op);
    this.calls.push({ from, to, label, away, since: this.clock_ms });
    if (!away) this.touch(there, 2);
  }

  draw(run, passed_ms) {
    this.clock_ms += passed_ms;
    const { context, layout } = this;
    context.clearRect(0, 0, layout.width, layout.height);
    this.bus(run);
    layout.boards.forEach(board => this.board(board, run.state.boards[board.number]));
    this.calls = this.calls.filter(call => this.clock_ms - call.since < CALL_MS);
    const labelled = new Set();
    for (const call of [...this.calls].reverse()) this.arrow(call, labelled);
    this.frames = this.frames.filter(frame => this.clock_ms - frame.since < FRAME_MS);
    this.frames.forEach(frame => this.frame(frame));
  }

  bus(run) {
    const { context, layout } = this;
    if (layout.boards.length < 2) return;
    const middles = layout.boards.map(board => board.x + board.width / 2);
    context.strokeStyle = this.colour("--bus");
    context.lineWidth = 3;
    this.line(Math.min(...middles), layout.busY, Math.max(...middles), layout.busY);
    layout.boards.forEach((board, number) => {
      const edge = board.row === 0 ? board.y + board.height : board.y;
      context.setLineDash(run.state.boards[number].cut ? [3, 7] : []);
      this.line(middles[number], edge, middles[number], layout.busY);
    });
    context.setLineDash([]);
    context.font = "11px system-ui, sans-serif";
    context.fillStyle = this.colour("--muted");
    context.textAlign = "left";
    context.fillText("bus", Math.min(...middles) + 8, layout.busY + 15);
    if (this.tokenAt !== null && middles[this.tokenAt] !== undefined) {
      const x = middles[this.tokenAt] + 14;
      context.fillStyle = this.colour("--token");
      this.circle(x, layout.busY - 12, 5);
      context.fillText("token", x + 9, layout.busY - 8);
    }
  }

  board(board, state) {
    const { context } = this;
    const dead = !state.alive;
    context.globalAlpha = dead ? 0.45 : 1;
    context.fillStyle = this.colour(dead ? "--dead" : "--board");
    context.strokeStyle = this.colour(state.hung ? "--token" : "--edge");
    context.lineWidth = 1.5;
    context.beginPath();
    context.roundRect(board.x + 1, board.y + 1, board.width - 2, board.height - 2, 10);
    context.fill();
    context.stroke();
    context.textAlign = "left";
    context.fillStyle = this.colour("--text");
    context.font = "600 15px system-ui, sans-serif";
    context.fillText(`Board ${board.name}`, board.x + PADDING, board.y + 22);
    const besideName = board.x + PADDING + context.measureText(`Board ${board.name}`).width + 10;
    const said = dead ? "no power" : state.hung ? "hangs" : state.cut ? "wires cut" : board.disk ? "has the disk" : "";
    context.font = "12px system-ui, sans-serif";
    context.fillStyle = this.colour("--muted");
    context.fillText(said, besideName, board.y + 22);
    context.font = "10px system-ui, sans-serif";
    for (const section of board.sections) context.fillText(section.title.toUpperCase(), section.x, section.y + 12);
    for (const cell of board.cells) this.cell(cell, dead);
    context.globalAlpha = 1;
  }

  cell(cell, dead) {
    const { context, layout } = this;
    const glow = of(this.glow, cell.key);
    const waits = of(this.waiting, cell.key);
    const dots = Math.min(cell.count, DOTS_MAX);
    let brightest = 0;
    for (const [at, touched] of glow) {
      const left = 1 - (this.clock_ms - touched.since) / GLOW_MS;
      if (left <= 0) glow.delete(at);
      brightest = Math.max(brightest, left);
    }
    if (this.chosen === cell.key || brightest > 0) {
      context.fillStyle = this.colour(this.chosen === cell.key ? "--chosen" : "--active");
      context.globalAlpha = this.chosen === cell.key ? 1 : 0.15 + 0.6 * brightest;
      context.beginPath();
      context.roundRect(cell.x - 1, cell.y, layout.cellWidth - 5, CELL_HEIGHT - 2, 5);
      context.fill();
      context.globalAlpha = dead ? 0.45 : 1;
    }
    context.fillStyle = this.colour("--text");
    context.font = `${layout.cellWidth < CELL_WIDTH ? 10 : 11}px ui-monospace, 'DejaVu Sans Mono', monospace`;
    const text = cell.count > 1 ? `${cell.kind} ×${cell.count}` : cell.kind;
    context.fillText(this.fitted(text, layout.cellWidth - 10), cell.x + 3, cell.y + 11);
    for (let at = 0; at < dots; at++) {
      const place = Math.ceil(at * cell.count / dots);
      const [x, y] = layout.dot({ cell, place });
      const touched = glow.get(at);
      const colour = touched ? (touched.what === 3 ? "--program" : "--run") : waits.has(at) ? "--waits" : "--dot";
      context.fillStyle = this.colour(colour);
      this.circle(x, y, touched ? 3 : 2.2);
    }
  }

  // A call: a curve from dot to dot, with its protocol and entry while there is room for it.
  arrow(call, labelled) {
    const { context, layout } = this;
    const left = 1 - (this.clock_ms - call.since) / CALL_MS;
    const [[fromX, fromY], [toX, toY]] = [layout.dot(call.from), layout.dot(call.to)];
    const bend = 18 + Math.abs(fromX - toX) / 12;
    const [middleX, middleY] = [(fromX + toX) / 2 + bend, (fromY + toY) / 2];
    context.globalAlpha = left;
    context.strokeStyle = this.colour(call.away ? "--data" : "--call");
    context.lineWidth = 1.4;
    context.beginPath();
    context.moveTo(fromX, fromY);
    context.quadraticCurveTo(middleX, middleY, toX, toY);
    context.stroke();
    context.fillStyle = context.strokeStyle;
    this.circle(toX, toY, 3.2);
    const place = `${call.from.cell.board} ${Math.round(middleY / 13)}`;
    if (labelled.size < LABELS_MAX && !labelled.has(place)) {
      labelled.add(place);
      context.font = "600 10.5px system-ui, sans-serif";
      const width = context.measureText(call.label).width;
      const board = layout.boards[call.from.cell.board];
      const middle = (fromX + toX) / 2 - width / 2 + bend / 2;
      const x = Math.max(board.x + 7, Math.min(middle, board.x + board.width - width - 7));
      context.fillStyle = this.colour("--label");
      context.beginPath();
      context.roundRect(x - 4, middleY - 8, width + 8, 14, 4);
      context.fill();
      context.fillStyle = this.colour("--labelText");
      context.fillText(call.label, x, middleY + 3);
    }
    context.globalAlpha = 1;
  }

  // A frame on its way: down from its sender, along the bus, to its receiver; red and stopped if it is lost.
  frame(frame) {
    const { context, layout } = this;
    const middle = number => layout.boards[number].x + layout.boards[number].width / 2;
    const everyone = frame.destination >= layout.boards.length;
    const targets = everyone ? layout.boards.map(board => board.number) : [frame.destination];
    const done = Math.min(1, (this.clock_ms - frame.since) / FRAME_MS);
    for (const target of targets.filter(target => target !== frame.source)) {
      const lost = frame.harmed >> target & 1;
      const stub = number => {
        const board = layout.boards[number];
        return board.row === 0 ? board.y + board.height : board.y;
      };
      const path = [[middle(frame.source), stub(frame.source)], [middle(frame.source), layout.busY],
        [middle(target), layout.busY], [middle(target), stub(target)]];
      const [x, y] = along(path, lost ? Math.min(done, 0.7) : done);
      context.fillStyle = this.colour(lost ? "--lost" : FRAME_COLOURS[frame.kind] ?? "--ack");
      this.circle(x, y, Math.min(9, 4 + frame.bytes / 220));
      if (lost && done > 0.55) {
        context.strokeStyle = this.colour("--lost");
        context.lineWidth = 2;
        this.line(x - 8, y - 8, x + 8, y + 8);
        this.line(x - 8, y + 8, x + 8, y - 8);
      }
    }
  }

  fitted(text, width) {
    const { context } = this;
    let shown = text;
    while (shown.length > 4 && context.measureText(shown).width > width) shown = shown.slice(0, -2) + "…";
    return shown;
  }

  line(fromX, fromY, toX, toY) {
    this.context.beginPath();
    this.context.moveTo(fromX, fromY);
    this.context.lineTo(toX, toY);
    this.context.stroke();
  }

  circle(x, y, radius) {
    this.context.beginPath();
    this.context.arc(x, y, radius, 0, 2 * Math.PI);
    this.context.fill();
  }
}

// A map's inner map.
function of(maps, key) {
  if (!maps.has(key)) maps.set(key, new Map());
  return maps.get(key);
}

// The place on a path of which a part, from 0 to 1, is done.
function along(path, part) {
  const lengths = path.slice(1).map(([x, y], at) => Math.hypot(x - path[at][0], y - path[at][1]));
  let left = part * lengths.reduce((sum, length) => sum + length, 0);
  for (let at = 0; at < lengths.length; at++) {
    if (left <= lengths[at] || at === lengths.length - 1) {
      const share = lengths[at] === 0 ? 1 : Math.min(1, left / lengths[at]);
      const [[fromX, fromY], [toX, toY]] = [path[at], path[at + 1]];
      return [fromX + (toX - fromX) * share, fromY + (toY - fromY) * share];
    }
    left -= lengths[at];
  }
  return path[path.length - 1];
}
