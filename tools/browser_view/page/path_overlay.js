// The critical path of the selected program across the rows of the time line: a line along the row of the process that
// is at the end of the chain, and upright lines where another one takes its place.

const OVERLAY_SEGMENTS_MAX = 1500;

function paintOverlay(timeline, brush, height) {
  const { selection, view } = timeline.app, { run } = timeline;
  if (!run.isComplete || selection?.run !== run || selection.program === undefined) return;
  const { path } = run, from = path.starts[selection.program], to = path.starts[selection.program + 1];
  const first = Math.max(from, upperBound(path.begin, view.from, from, to) - 1), behind = upperBound(path.begin, view.to, from, to);
  if (behind - first > OVERLAY_SEGMENTS_MAX) return;
  const { context, colours } = brush, places = rowPlaces(timeline);
  let before = null;
  context.save();
  context.beginPath();
  context.rect(brush.left, RULER, brush.width, height - RULER);
  context.clip();
  for (let at = first; at < behind; at++) {
    const y = places(path.process[at]), x0 = brush.x(path.begin[at]), x1 = brush.x(path.begin[at] + path.ns[at]);
    context.fillStyle = colours.accent;
    if (before !== null && before !== y) context.fillRect(x0 - 0.5, Math.min(before, y), 1, Math.abs(y - before));
    context.fillRect(x0, y - 1, Math.max(1, x1 - x0), 2);
    before = y;
  }
  context.restore();
}

/** Where a process is: its row, or that of the group which hides it. */
function rowPlaces(timeline) {
  const { run, rows } = timeline, places = new Map();
  const middle = (row) => RULER + row.y - timeline.scroll + row.height - 2;
  for (const row of rows) if (row.type === "program" || row.type === "process") places.set(row.process, middle(row));
  const hidden = (process) => {
    const board = run.board(process), kind = run.kind(process);
    const row = rows.find((one) => one.board === board && one.type === "kind" && one.kind.name === kind)
      ?? rows.find((one) => one.board === board && one.type === "group") ?? rows.find((one) => one.board === board);
    return row ? middle(row) : RULER;
  };
  return (process) => {
    if (!places.has(process)) places.set(process, hidden(process));
    return places.get(process);
  };
}
