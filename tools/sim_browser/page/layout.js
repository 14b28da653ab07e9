// Where things are: boards, and in each the processes by kind, from programs at the top to the link at the bus.
"use strict";

const SECTIONS = [
  ["Programs", ["user", "procs", "memory", "page_cache", "reclaimer", "regulator", "futexes"]],
  ["Pipes and sockets", ["pipe", "pipe_table", "fifos", "socket", "socket_table", "socket_closer"]],
  ["Open files and names", ["file", "file_table", "name_cache", "references", "proc_files", "path_lookup",
    "lookup_worker", "locks"]],
  ["File system", ["inode_directory", "inode", "inode_reclaimer", "name_index", "allocator", "buffer_directory",
    "buffer", "data_reader", "data_writeback", "metadata_writeback", "committer", "commit_timer", "revocations", "prefetcher",
    "lease_flusher"]],
  ["Devices", ["disk", "console", "keyboard", "terminals", "clock", "events", "waker"]],
  ["Link", ["router", "membership", "link_status", "proxy", "async_proxy"]],
];
// Narrow cells are those of more than three boards.
const CELL_WIDTH = 128, NARROW_CELL_WIDTH = 94, CELL_HEIGHT = 27, SECTION_HEIGHT = 17, HEAD_HEIGHT = 34;
const PADDING = 10, GAP = 18, BUS_HEIGHT = 64;
// Dots of one cell; of more processes each dot stands for several.
const DOTS_MAX = 22;

class Layout {
  constructor(scene, width) {
    this.scene = scene;
    this.width = width;
    const boards = scene.boards.length;
    this.columns = boards <= 4 ? boards : Math.ceil(boards / 2);
    const boardWidth = (width - GAP * (this.columns - 1)) / this.columns;
    const least = boards <= 3 ? CELL_WIDTH : NARROW_CELL_WIDTH;
    this.cellColumns = Math.max(1, Math.floor((boardWidth - 2 * PADDING) / least));
    this.cellWidth = (boardWidth - 2 * PADDING) / this.cellColumns;
    this.byProcess = scene.boards.map(() => []);
    this.boards = scene.boards.map((board, number) => this.place(board, number, boardWidth));
    const rows = Math.ceil(boards / this.columns);
    const heights = Array.from({ length: rows }, (_, row) =>
      Math.max(...this.boards.filter(board => board.row === row).map(board => board.height)));
    for (const board of this.boards) {
      const above = heights.slice(0, board.row).reduce((sum, height) => sum + height, 0);
      const y = board.row === 0 ? 0 : above + BUS_HEIGHT;
      board.height = heights[board.row];
      board.y += y;
      for (const cell of board.cells) cell.y += y;
      for (const section of board.sections) section.y += y;
    }
    // One bus: below the first row, and above the second if there is one.
    this.busY = heights[0] + BUS_HEIGHT / 2;
    this.height = heights.reduce((sum, height) => sum + height, 0) + BUS_HEIGHT;
  }

  // A board's cells, relative to its top.
  place(board, number, width) {
    const [column, row] = [number % this.columns, Math.floor(number / this.columns)];
    const x = column * (width + GAP);
    const kinds = new Map();
    this.scene.groups.forEach((group, index) => {
      if (group.board !== number) return;
      if (!kinds.has(group.kind)) kinds.set(group.kind, { kind: group.kind, groups: [], count: 0 });
      const kind = kinds.get(group.kind);
      kind.groups.push(index);
      for (let at = 0; at < group.count; at++) {
        this.byProcess[number][group.first + at] = { cell: kind, place: kind.count + at, group: index };
      }
      kind.count += group.count;
    });
    const known = new Set(SECTIONS.flatMap(([, names]) => names));
    const rest = [...kinds.keys()].filter(kind => !known.has(kind));
    const [cells, sections] = [[], []];
    let y = HEAD_HEIGHT;
    for (const [title, names] of [...SECTIONS, ["Others", rest]]) {
      const present = names.filter(name => kinds.has(name));
      if (present.length === 0) continue;
      sections.push({ title, x: x + PADDING, y });
      y += SECTION_HEIGHT;
      present.forEach((name, at) => {
        const cell = kinds.get(name);
        [cell.board, cell.key] = [number, `${number}.${name}`];
        cell.x = x + PADDING + (at % this.cellColumns) * this.cellWidth;
        cell.y = y + Math.floor(at / this.cellColumns) * CELL_HEIGHT;
        cells.push(cell);
      });
      y += Math.ceil(present.length / this.cellColumns) * CELL_HEIGHT + 4;
    }
    return { number, name: board.name, disk: board.disk, x, y: 0, width, height: y + 6, row, cells, sections };
  }

  // Where a process is: its cell, and its dot in it.
  process(board, number) {
    return this.byProcess[board]?.[number];
  }

  // Which of a cell's dots stands for a process.
  dotNumber({ cell, place }) {
    return Math.floor(place * Math.min(cell.count, DOTS_MAX) / cell.count);
  }

  // The middle of a process's dot.
  dot(where) {
    const { cell } = where;
    const dots = Math.min(cell.count, DOTS_MAX);
    const at = this.dotNumber(where);
    return [cell.x + 5 + at * Math.min(7, (this.cellWidth - 12) / dots), cell.y + 18];
  }

  cellAt(x, y) {
    const inside = cell => x >= cell.x && x < cell.x + this.cellWidth - 4 && y >= cell.y && y < cell.y + CELL_HEIGHT;
    return this.boards.flatMap(board => board.cells).find(inside);
  }

  // The name of a process, as its board, kind and number.
  name(board, number) {
    const where = this.process(board, number);
    const prefix = this.scene.boards[board]?.name ?? "?";
    return where ? `${prefix}.${where.cell.kind}${where.cell.count > 1 ? where.place : ""}` : `${prefix}.${number}`;
  }

  // The protocol and entry of a call to a process.
  entry(board, number, op) {
    const group = this.scene.groups[this.process(board, number)?.group];
    const entry = group?.entries.find(([known]) => known === op);
    return group?.protocol ? `${group.protocol}.${entry ? entry[1] : op}` : `entry ${op}`;
  }
}
