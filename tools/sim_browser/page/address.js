// The part of the address after `#`, which repeats a run: its setup, and what was done to it when.
//
//   seed=7&boards=3&medium=sd&mode=async&edges=user%20->%20pipe&system=...&do=TIME~ACTION;...&at=TIME
//
// `edges` are switched from the mode to the other one. `system` is a system file's text and replaces boards, mode and
// edges. Times are simulated ns; with `at` the page runs until then and stops. `seeds=1-100` runs seeds of `renga sim`.
"use strict";

const DEFAULT_SETUP = { seed: 1, boards: 2, medium: "sd", mode: "sync", edges: [], system: null };

// An action's text without the sign that parts actions; `~` parts only where it is the first.
const marked = text => text.replace(/[%;]/g, encodeURIComponent);
const unmarked = text => text.replace(/%(25|3B)/g, decodeURIComponent);

function readAddress(hash) {
  const given = new URLSearchParams(hash.replace(/^#/, "").replace(/\+/g, "%2B"));
  const number = (name, otherwise) =>
    given.has(name) ? Math.max(0, Math.floor(Number(given.get(name)) || 0)) : otherwise;
  const actions = (given.get("do") || "").split(";").filter(Boolean).map(part => {
    const [at, ...text] = part.split("~");
    return { at_ns: Number(at) || 0, text: unmarked(text.join("~")) };
  });
  return {
    setup: {
      seed: number("seed", DEFAULT_SETUP.seed),
      boards: Math.min(8, Math.max(1, number("boards", DEFAULT_SETUP.boards))),
      medium: given.get("medium") || DEFAULT_SETUP.medium,
      mode: given.get("mode") === "async" ? "async" : "sync",
      edges: (given.get("edges") || "").split(",").filter(Boolean),
      system: given.get("system"),
    },
    actions: actions.sort((first, second) => first.at_ns - second.at_ns),
    at_ns: given.has("at") ? number("at", 0) : null,
    seeds: given.get("seeds"),
  };
}

function writeAddress(setup, actions) {
  const parts = [["seed", setup.seed]];
  if (setup.system !== null) {
    parts.push(["system", setup.system]);
  } else {
    parts.push(["boards", setup.boards]);
    if (setup.mode !== DEFAULT_SETUP.mode) parts.push(["mode", setup.mode]);
    if (setup.edges.length > 0) parts.push(["edges", setup.edges.join(",")]);
  }
  if (setup.medium !== DEFAULT_SETUP.medium) parts.push(["medium", setup.medium]);
  if (actions.length > 0) {
    parts.push(["do", actions.map(action => `${action.at_ns}~${marked(action.text)}`).join(";")]);
  }
  return "#" + parts.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
}

if (typeof module !== "undefined") module.exports = { readAddress, writeAddress };
