// The cluster at one instant: boards with cores, programs and disk; the link below them with its frames and the token.

const STAGE_HEIGHT = 222, STAGE_HEIGHT_LOW = 182, LOW_WINDOW = 800;

class Stage {
  constructor(run, app, canvas) {
    Object.assign(this, { run, app, canvas });
    canvas.setAttribute("role", "img");
    canvas.addEventListener("click", (event) => this.click(event.offsetX, event.offsetY));
  }

  draw() {
    this.canvas.style.height = `${window.innerHeight < LOW_WINDOW ? STAGE_HEIGHT_LOW : STAGE_HEIGHT}px`;
    const { context, width, height } = fitCanvas(this.canvas), { run, app } = this, time = app.time;
    Object.assign(this, { context, hits: [] });
    const count = run.boards.length, gap = count > 4 ? 6 : 14, wide = (width - 24 - gap * (count - 1)) / count;
    this.boxes = run.boards.map((board, at) => ({ board, x: 12 + at * (wide + gap), y: 10, width: wide, height: height - 84 }));
    this.boxes.forEach((box) => this.drawBoard(box, time));
    this.drawLink(width, height, time);
    this.canvas.setAttribute("aria-label", this.inWords(time));
  }

  text(text, x, y, room, colour, font = "") {
    const { context } = this, usual = context.font;
    if (font) context.font = `${font} ${usual}`.replace("12px", "13px");
    let shown = text;
    if (context.measureText(shown).width > room) {
      while (shown.length > 1 && context.measureText(`${shown}…`).width > room) shown = shown.slice(0, -1);
      shown = shown.length > 1 ? `${shown}…` : "";
    }
    context.fillStyle = colour;
    context.fillText(shown, x, y);
    const used = context.measureText(shown).width;
    context.font = usual;
    return used;
  }

  drawBoard(box, time) {
    const { context, run, app } = this, { colours } = app, off = run.isOff(box.board.number, time);
    context.fillStyle = colours.raised;
    context.strokeStyle = off ? colours.off : colours.line;
    context.lineWidth = 1;
    context.beginPath();
    context.roundRect(box.x + 0.5, box.y + 0.5, box.width - 1, box.height - 1, 7);
    context.fill();
    context.setLineDash(off ? [5, 4] : []);
    context.stroke();
    context.setLineDash([]);
    this.hits.push({ ...box, select: { run, board: box.board.number } });
    const inner = box.width - 20, x = box.x + 10;
    const named = this.text(`board ${box.board.name}`, x, box.y + 16, inner, off ? colours.dim : colours.text, "600");
    if (off) return void this.text("stopped", x + named + 10, box.y + 16, inner - named - 10, colours.cursor, "600");
    this.drawDisk(box, time);
    const behind = this.drawCores(box, time, x, inner);
    this.drawPrograms(box, time, x, inner, behind);
  }

  drawDisk(box, time) {
    const { context, run, app } = this, { colours } = app, disk = run.boards[box.board.number].disk;
    if (!disk.rows.length) return;
    const transfer = disk.at(time), room = box.width > 240, x = box.x + box.width - 26;
    context.fillStyle = transfer >= 0 ? colours.medium : colours.kept;
    context.beginPath();
    context.ellipse(x + 8, box.y + 20, 8, 3, 0, 0, Math.PI);
    context.lineTo(x, box.y + 12);
    context.ellipse(x + 8, box.y + 12, 8, 3, 0, Math.PI, 2 * Math.PI);
    context.lineTo(x + 16, box.y + 20);
    context.fill();
    if (!room) return;
    const what = transfer < 0 ? "disk" : `${run.transfer.writes[transfer] ? "writes" : "reads"} ${run.transfer.blocks[transfer]} blocks`;
    context.textAlign = "right";
    this.text(what, x - 8, box.y + 16, 110, transfer < 0 ? colours.dim : colours.text);
    context.textAlign = "left";
  }

  /** A line for each core; where the next line begins. */
  drawCores(box, time, x, inner) {
    const { run, app, context } = this, { colours } = app;
    const cores = run.cores.map((core, at) => ({ ...core, at })).filter((core) => core.board === box.board.number);
    const columns = cores.length > 1 && inner > 220 ? 2 : 1, wide = inner / columns;
    cores.forEach((core, number) => {
      const row = run.coreAt(core.at, time), activity = row < 0 ? 0 : run.core.activity[row];
      const cx = x + number % columns * wide, cy = box.y + 36 + Math.floor(number / columns) * 18;
      context.fillStyle = [colours.unknown, colours.system, colours.program, colours.off][activity];
      context.beginPath();
      context.roundRect(cx, cy - 7, 14, 14, 3);
      context.fill();
      const words = activity ? run.coreWords(row) : "idle";
      this.text(cores.length > 1 ? `${core.core}: ${words}` : words, cx + 21, cy + 0.5, wide - 26, activity ? colours.text : colours.dim);
      const process = row < 0 ? -1 : run.core.process[row] - 1;
      if (process >= 0) this.hits.push({ x: cx, y: cy - 9, width: wide, height: 18, select: { run, process } });
    });
    return box.y + 36 + Math.ceil(cores.length / columns) * 18 + 6;
  }

  /** The programs, the last begun first, and what each waits for. */
  drawPrograms(box, time, x, inner, y) {
    const { run, app, context } = this, { colours } = app, lines = Math.floor((box.y + box.height - y) / 17);
    const live = run.slotsOf(box.board.number).map((slot) => run.programAt(slot, time)).filter((program) => program >= 0);
    live.sort((one, other) => run.program.begin[other] - run.program.begin[one]);
    const shown = live.length > lines ? live.slice(0, Math.max(0, lines - 1)) : live;
    shown.forEach((program, at) => {
      const line = y + at * 17 + 5, process = run.program.process[program], segment = run.segmentAt(program, time);
      context.fillStyle = segment < 0 ? colours.unknown : colours.causes[run.path.cause[segment]];
      context.fillRect(x + 2, line - 5, 10, 10);
      const name = `${run.names.program_names[program]} ${run.program.pid[program]}`;
      const used = this.text(name, x + 21, line, inner - 21, colours.text);
      this.text(this.waitWords(program, process, time, segment), x + 29 + used, line, inner - 29 - used, colours.dim);
      this.hits.push({ x, y: line - 8, width: inner, height: 17, select: { run, process, program } });
    });
    if (shown.length < live.length) this.text(`and ${live.length - shown.length} more`, x + 21, y + shown.length * 17 + 5, inner - 21, colours.dim);
  }

  waitWords(program, process, time, segment) {
    const { run } = this, call = run.systemCallAt(process, time), inside = call < 0 ? "" : `${run.systemCallName(call)}()`;
    if (segment < 0) return inside;
    const cause = run.names.cause_names[run.path.cause[segment]], end = run.isComplete ? run.path.process[segment] : process;
    if (end === process) return inside ? `${inside}: ${cause}` : cause;
    return `${inside ? `${inside}: ` : ""}${cause}, ${run.fullName(end)}`;
  }

  drawLink(width, height, time) {
    const { context, run, app } = this, { colours } = app, y = height - 32, from = this.boxes[0], to = this.boxes.at(-1);
    const ports = this.boxes.map((box) => box.x + box.width / 2), holder = run.tokenAt(time);
    context.strokeStyle = colours.line;
    context.lineWidth = 3;
    context.beginPath();
    context.moveTo(Math.min(ports[0], from.x + 20), y);
    context.lineTo(Math.max(ports.at(-1), to.x + to.width - 20), y);
    ports.forEach((x, at) => { context.moveTo(x, y); context.lineTo(x, this.boxes[at].y + this.boxes[at].height); });
    context.stroke();
    context.lineWidth = 1;
    if (holder >= 0 && ports[holder] !== undefined) {
      const x = ports[holder];
      context.fillStyle = colours.token;
      context.strokeStyle = colours.text;
      context.beginPath();
      context.arc(x, y, 8, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
      context.textAlign = "center";
      context.fillStyle = "#000";
      context.fillText("T", x, y + 0.5);
      context.textAlign = "left";
    }
    const waiting = new Map();
    for (const frame of run.framesAt(time)) this.drawFrame(frame, time, ports, y, waiting);
  }

  drawFrame(frame, time, ports, y, waiting) {
    const { context, run, app } = this, { colours } = app, sender = run.frame.from[frame], receiver = run.frame.to[frame];
    const from = ports[sender] ?? ports[0], to = ports[receiver] ?? (sender ? ports[0] : ports.at(-1)), begin = run.frame.time[frame];
    const call = run.isComplete ? run.frame.call[frame] - 1 : -1;
    const words = call >= 0 ? `${run.kind(run.call.server[call])}.${run.entry(call)} ${run.names.role_names[run.frame.role[frame]]}` : run.names.role_names[run.frame.role[frame]];
    const onWire = begin <= time;
    const part = onWire ? (time - begin) / Math.max(1, run.frame.left[frame] - begin) : 0, queue = waiting.get(sender) ?? 0;
    if (!onWire) waiting.set(sender, queue + 1);
    const x = from + (to - from) * part, top = onWire ? y : y - 22 - queue * 12;
    context.fillStyle = onWire ? colours.wire : colours.token;
    context.beginPath();
    context.roundRect(x - 11, top - 6, 22, 12, 3);
    context.fill();
    context.strokeStyle = colours.back;
    context.stroke();
    const room = this.canvas.clientWidth - x - 22, wide = context.measureText(words).width, left = room < wide && x > wide + 40;
    const lift = onWire ? 17 : 0; // below the line; those that wait are above it
    context.textAlign = left ? "right" : "left";
    this.text(`${words}, ${run.frame.bytes[frame]} B`, left ? x - 16 : x + 16, top + lift, left ? x - 24 : room, colours.text);
    context.textAlign = "left";
    this.hits.push({ x: x - 12, y: top - 8, width: 24, height: 16, select: { run, frame } });
  }

  click(x, y) {
    const hit = this.hits.findLast((hit) => hit.x <= x && x <= hit.x + hit.width && hit.y <= y && y <= hit.y + hit.height);
    if (hit) this.app.select(hit.select);
  }

  inWords(time) {
    const { run } = this;
    const boards = run.boards.map((board) => {
      if (run.isOff(board.number, time)) return `board ${board.name} is stopped`;
      const cores = run.cores.map((core, at) => [core, run.coreAt(at, time)]).filter(([core]) => core.board === board.number);
      return `board ${board.name}: ${cores.map(([, row]) => row >= 0 && run.core.activity[row] ? run.coreWords(row) : "idle").join(", ")}`;
    });
    return [`at ${timeText(time)}`, ...boards, ...run.framesAt(time).map((frame) => `frame ${frameWords(run, frame)}`)].join("; ");
  }
}
