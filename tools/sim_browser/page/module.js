// The WebAssembly module of the simulator: instances, and bytes in and out of one.
//
// Each instance is a simulator of its own. A run leaks its boards, so a new run takes a new instance.
"use strict";

class SimModule {
  // Of the compiled module; the imports of Rust's standard library are never called.
  constructor(compiled) {
    const imports = {};
    for (const { module, name } of WebAssembly.Module.imports(compiled)) {
      (imports[module] ??= {})[name] = () => { throw new Error(`the module calls ${module}.${name}`); };
    }
    this.exports = new WebAssembly.Instance(compiled, imports).exports;
  }

  // Puts bytes, or text, where the next call takes its input.
  put(input) {
    const bytes = typeof input === "string" ? new TextEncoder().encode(input) : input;
    const at = this.exports.sim_input_at(bytes.length);
    new Uint8Array(this.exports.memory.buffer, at, bytes.length).set(bytes);
  }

  // Calls an export that gives text.
  text(name, ...numbers) {
    const bytes = this.call(name, numbers);
    const output = new Uint8Array(this.exports.memory.buffer, this.exports.sim_output_at(), bytes);
    return new TextDecoder().decode(output.slice());
  }

  // As `text`, parsed.
  ask(name, ...numbers) {
    return JSON.parse(this.text(name, ...numbers));
  }

  // Calls an export that gives nothing, or whether it is so.
  tell(name, ...numbers) {
    return this.call(name, numbers) !== 0;
  }

  // A panic traps, with its message as the output: then the instance is of no more use.
  call(name, numbers) {
    try {
      return this.exports[`sim_${name}`](...numbers);
    } catch (trap) {
      const bytes = this.exports.sim_output_bytes();
      const output = new Uint8Array(this.exports.memory.buffer, this.exports.sim_output_at(), bytes);
      throw new Error(`The simulator stopped (${trap.message}): ${new TextDecoder().decode(output.slice())}`);
    }
  }
}

// What a seed did, as a line of JSON, in an instance of its own: a panic ends that one alone.
function seedLine(compiled, disk, seed) {
  try {
    const sim = new SimModule(compiled);
    sim.tell("start");
    sim.put(disk);
    sim.tell("set_disk");
    return sim.text("run_seed", ...halves(seed));
  } catch (error) {
    return JSON.stringify({ Failed: `seed ${seed}: ${error.message}` });
  }
}

// A 64-bit number as its two halves.
function halves(number) {
  const whole = BigInt(typeof number === "number" ? Math.floor(number) : number);
  return [Number(whole & 0xffffffffn), Number(whole >> 32n)];
}

if (typeof module !== "undefined") module.exports = { SimModule, seedLine, halves };
