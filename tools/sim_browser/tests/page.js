// Functions of the page that need no module, in node: `node page.js`
"use strict";
const assert = require("node:assert");
const { readAddress, writeAddress } = require("../page/address.js");
const { seedLine } = require("../page/module.js");

const actions = ["type ls; help", "type a~b", "type 5%3B 100% %", "faults 40 20 10"].map((text, at) => ({ at_ns: 10 + at, text }));
const setup = { seed: 7, boards: 3, medium: "sd", mode: "sync", edges: [], system: null };
assert.deepStrictEqual(readAddress(writeAddress(setup, actions)).actions, actions);
assert.deepStrictEqual(readAddress("#do=5~type%20pipe%20b%20%26").actions, [{ at_ns: 5, text: "type pipe b &" }]);

// An instance whose seed 2 panics: with a hook it leaves its message, as `exports.rs` does, then it traps.
const memory = { buffer: new ArrayBuffer(4096) };
WebAssembly.Module.imports = () => [];
WebAssembly.Instance = class {
  constructor() {
    let hooked = false, length = 0;
    const output = text => { length = new TextEncoder().encodeInto(text, new Uint8Array(memory.buffer, 1024)).written; return length; };
    this.exports = {
      memory,
      sim_start: () => { hooked = true; },
      sim_input_at: () => 0,
      sim_set_disk: () => {},
      sim_output_at: () => 1024,
      sim_output_bytes: () => length,
      sim_run_seed: low => {
        if (low !== 2) return output(`"good ${low}"`);
        if (hooked) output("a frame is lost");
        throw new WebAssembly.RuntimeError("unreachable");
      },
    };
  }
};
const lines = [1, 2, 3].map(seed => seedLine({}, new Uint8Array(8), BigInt(seed)));
assert.deepStrictEqual([lines[0], lines[2]], ['"good 1"', '"good 3"']);
const { Failed } = JSON.parse(lines[1]);
assert.ok(["seed 2", "unreachable", "a frame is lost"].every(words => Failed.includes(words)), Failed);
console.log("ok");
