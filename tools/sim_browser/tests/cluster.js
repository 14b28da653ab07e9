// Runs a page's cluster in node as its address says: `node cluster.js MODULE.wasm DISK ADDRESS`
"use strict";
const fs = require("node:fs");
Object.assign(globalThis, require("../page/module.js"));
const { readAddress } = require("../page/address.js");
const { Run } = require("../page/run.js");

const [file, disk, text] = process.argv.slice(2);
const compiled = new WebAssembly.Module(fs.readFileSync(file));
const address = readAddress(text);
const run = new Run(compiled, fs.readFileSync(disk), address.setup, address.actions);
const begun = process.cpuUsage();
const before = run.state.events;
run.advance(address.at_ns, Infinity);
const { user, system } = process.cpuUsage(begun);
const events = run.state.events - before;
console.error(`${events} events in ${Math.round((user + system) / 1000)} ms of processor time: `
  + `${Math.round(events / (user + system) * 1e6)} a second`);
console.log(`${run.state.hash} ${run.state.events}`);
