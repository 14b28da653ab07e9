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
const begun_ms = performance.now();
run.advance(address.at_ns, Infinity);
const ms = performance.now() - begun_ms;
console.error(`${run.state.events} events in ${ms.toFixed(0)} ms: ${Math.round(run.state.events / ms * 1000)} a second`);
console.log(`${run.state.hash} ${run.state.events}`);
