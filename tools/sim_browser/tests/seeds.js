// Runs seeds in node, a line of JSON each: `node seeds.js MODULE.wasm DISK FIRST COUNT`
"use strict";
const fs = require("node:fs");
const { seedLine } = require("../page/module.js");

const [file, disk, first, count] = process.argv.slice(2);
const compiled = new WebAssembly.Module(fs.readFileSync(file));
const fresh = fs.readFileSync(disk);
for (let seed = BigInt(first); seed < BigInt(first) + BigInt(count); seed++) {
  console.log(seedLine(compiled, fresh, seed));
}
