// With #test in its address the page tries itself as a person would, by keys and pointers, and writes what it found
// into its document, as JSON, for the test that opened it (tests/browser.rs). Nothing else uses this.

const SEGMENTS_TRIED = 3000;

const press = (key, more = {}) => document.activeElement.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...more }));
const pointer = (target, type, x, y) => {
  const { left, top } = target.getBoundingClientRect();
  target.dispatchEvent(new PointerEvent(type, { clientX: left + x, clientY: top + y, bubbles: true, pointerId: 1 }));
};
function drag(target, from, to) {
  target.setPointerCapture = () => {}; // made events have no pointer to capture
  pointer(target, "pointerdown", ...from);
  if (to) pointer(target, "pointermove", ...to);
  pointer(target, "pointerup", ...(to ?? from));
}
function type(id, text) {
  byId(id).value = text;
  byId(id).dispatchEvent(new Event("input", { bubbles: true }));
}
const detailText = (app) => { app.draw(); return byId("detail").textContent; };

/** How many colours a canvas has, in a sample of its pixels. */
function coloursOf(canvas) {
  const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height), colours = new Set();
  for (let at = 0; at < data.length; at += 4 * 13) colours.add(data[at] << 16 | data[at + 1] << 8 | data[at + 2]);
  return colours.size;
}

const selfChecks = {
  drawn(app) { return app.parts.every(({ stage, timeline }) => [stage.canvas, timeline.canvas, timeline.overview].every((one) => coloursOf(one) > 5)); },
  /** The program's paths of Rust end where this page's chains end. */
  paths_end_where_chains_do(app) {
    let tried = 0;
    for (const run of app.runs) {
      const step = Math.max(1, Math.floor(run.path.ns.length / SEGMENTS_TRIED));
      for (let program = 0; program < run.path.count.length; program++) {
        for (let at = run.path.starts[program]; at < run.path.starts[program + 1]; at += step, tried++) {
          const chain = chainAt(run, run.program.process[program], run.path.begin[at] + Math.floor(run.path.ns[at] / 2));
          const onLink = ["link software", "token", "wire"].includes(run.names.cause_names[run.path.cause[at]]);
          if (chain.onLink !== onLink || chain.end !== run.path.process[at]) return `segment ${at}: ${run.fullName(run.path.process[at])}, ${JSON.stringify(chain)}`;
        }
      }
    }
    return tried > 0;
  },
  parts_of_calls_sum_up(app) {
    return app.runs.every((run) => run.call.ns.every((ns, call) => run.call.server_ns[call] + run.call.wire_ns[call] + run.call.token_ns[call] <= ns));
  },
  paths_fill_programs(app) {
    return app.runs.every((run) => run.program.ns.every((ns, program) => {
      let sum = 0;
      for (let at = run.path.starts[program]; at < run.path.starts[program + 1]; at++) sum += run.path.ns[at];
      return sum === ns;
    }));
  },
  keys_step_by_events(app) {
    app.setTime(app.range.from);
    press("ArrowRight");
    const [one, words] = [app.time, eventsAt(app.active.run, app.time)];
    press("ArrowRight");
    const other = app.time;
    press("ArrowLeft");
    return app.range.from < one && one < other && app.time === one && words.length > 0;
  },
  keys_zoom_and_move(app) {
    press("0");
    const all = app.view.to - app.view.from;
    press("+");
    press("+");
    const [zoomed, from] = [app.view.to - app.view.from, app.view.from];
    press("ArrowRight", { shiftKey: true });
    const moved = app.view.from - from;
    press("0");
    return Math.abs(zoomed - all / 4) < 1 && Math.abs(moved - zoomed / 4) < 1 && app.view.from === app.range.from && app.view.to === app.range.to;
  },
  /** Half a millisecond of a person's time is 500 ns of the run's, at a thousandth of its speed. */
  space_plays_at_chosen_speed(app) {
    app.setTime(app.range.from);
    byId("speed").value = "0.001";
    byId("speed").dispatchEvent(new Event("change"));
    press(" ");
    if (!app.playing) return "it does not play";
    app.frame(app.playing.since + 0.5);
    const ns = app.time - app.range.from;
    press(" ");
    return app.playing === null && ns === 500 ? true : `${ns} ns`;
  },
  pointer_drags_time_and_window(app) {
    press("0");
    app.draw();
    const { canvas, overview, brush } = app.active, middle = brush.left + brush.width / 2;
    drag(canvas, [brush.left + 10, 10], [middle, 10]);
    const time = Math.abs(app.time - (app.range.from + app.range.to) / 2) < (app.range.to - app.range.from) / 50;
    drag(overview, [middle - 40, 10], [middle + 40, 10]);
    app.draw();
    const window = { ...app.view };
    drag(canvas, [middle, 60], [middle - 30, 60]);
    return time && window.to - window.from < app.range.to - app.range.from && app.view.from > window.from;
  },
  program_shows_its_critical_path(app) {
    press("0");
    app.draw();
    const { run, canvas, rows, brush } = app.active, program = run.program.ns.indexOf(Math.max(...run.program.ns));
    const row = rows.find((one) => one.type === "program" && one.process === run.program.process[program]);
    app.active.scroll = 0;
    drag(canvas, [brush.x(run.program.begin[program] + run.program.ns[program] / 2), RULER + row.y + 20]);
    const text = detailText(app);
    return app.selection?.program === program && ["Critical path", "Waits for", run.names.program_names[program]].every((words) => text.includes(words));
  },
  call_shows_its_parts(app) {
    for (const run of app.runs) {
      const call = run.call.made_by.findIndex((carrier) => carrier > 0);
      if (call < 0) continue;
      app.select({ run, call });
      return ["software", "token", "wire", "server", "carried there by"].every((words) => detailText(app).includes(words));
    }
    return "no call between boards";
  },
  frame_shows_its_call(app) {
    for (const run of app.runs) {
      const frame = run.frame.call.findIndex((call) => call > 0);
      if (frame < 0) continue;
      app.select({ run, frame });
      return ["waits for the token", "Parts"].every((words) => detailText(app).includes(words));
    }
    return "no frame of a call";
  },
  /** By the columns themselves: each row of a core is one activity until the core's next row. */
  boards_share_is_mean_of_cores(app) {
    return app.runs.every((run) => run.boards.every((board) => {
      const cores = run.cores.flatMap((core, at) => core.board === board.number ? [at] : []), { programs, system } = run.shareOf(board.number);
      const sum = (activity) => run.core.time.reduce((sum, time, row) => sum
        + (cores.includes(run.core.core[row]) && run.core.activity[row] === activity ? run.core.end[row] - time : 0), 0);
      return programs.until(run.finish) * cores.length === sum(ACTIVITY_PROGRAM) && system.until(run.finish) * cores.length === sum(ACTIVITY_SYSTEM);
    }));
  },
  boards_show_their_stops(app) {
    return app.runs.every((run) => run.boards.every((board) => {
      app.select({ run, board: board.number });
      const text = detailText(app);
      return text.includes("stops at") === board.off.length > 0 && text.includes(`Board ${board.name}`);
    }));
  },
  search_finds_programs(app) {
    const name = app.active.run.names.program_names[0];
    app.select(null);
    press("/");
    const focused = document.activeElement === byId("search");
    type("search", name);
    press("Enter");
    document.activeElement.blur();
    const { selection } = app;
    return focused && selection?.run.names.program_names[selection.program] === name;
  },
  filter_narrows_rows_and_steps(app) {
    press("Escape");
    const before = app.active.rows.length, { run } = app.active;
    type("filter", "disk");
    const rows = app.active.rows.filter((row) => row.type === "process"), processes = app.stepped(run);
    const narrowed = rows.length > 0 && rows.every((row) => run.name(row.process).includes("disk")) && processes.every((process) => run.fullName(process).includes("disk"));
    type("filter", "");
    return narrowed && app.active.rows.length === before;
  },
  groups_open_by_keys(app) {
    const { active } = app, before = active.rows.length;
    active.chosen = active.rows.findIndex((row) => row.type === "group");
    press("ArrowUp");
    press("ArrowDown");
    press("Enter");
    const opened = active.rows.length;
    press("Enter");
    return opened > before && active.rows.length === before;
  },
  theme_changes_colours(app) {
    const before = app.colours.back;
    byId("theme").click();
    const other = app.colours.back;
    byId("theme").click();
    return before !== other && app.colours.back === before;
  },
  print_has_all_rows_on_light(app) {
    const { canvas, total } = app.active, dark = document.documentElement.classList.contains("dark"), height = canvas.clientHeight;
    app.setTheme(true);
    window.dispatchEvent(new Event("beforeprint"));
    const printed = canvas.clientHeight >= total + RULER && !document.documentElement.classList.contains("dark");
    window.dispatchEvent(new Event("afterprint"));
    const restored = document.documentElement.classList.contains("dark");
    app.setTheme(dark);
    app.draw();
    return printed && restored && canvas.clientHeight === height;
  },
  difference_is_shown(app) {
    press("Escape");
    const text = detailText(app);
    return app.comparison ? text.includes("Difference") && (!app.comparison.first || text.includes("part at")) : !text.includes("Difference");
  },
  nothing_was_loaded() { return performance.getEntriesByType("resource").length === 0; },
};

function selfTest(app) {
  const results = {};
  for (const [name, check] of Object.entries(selfChecks)) {
    try { results[name] = check(app); } catch (error) { results[name] = `${error.message} ${error.stack}`; }
  }
  document.body.append(element("pre", { id: "results" }, JSON.stringify(results)));
}
