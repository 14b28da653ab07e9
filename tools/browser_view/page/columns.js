"use strict";
// Reads the columns of a run: numbers of seven bits a byte (src/columns.rs).

/** The bytes of a base64 text. */
function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const raw = atob(text), bytes = new Uint8Array(raw.length);
  for (let at = 0; at < raw.length; at++) bytes[at] = raw.charCodeAt(at);
  return bytes;
}

/** The content of gzip data, whose length is known. */
async function inflate(bytes, count) {
  const out = new Uint8Array(count);
  const reader = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip")).getReader();
  let at = 0;
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    out.set(value, at);
    at += value.length;
  }
  if (at !== count) throw new Error(`the data end after ${at} of ${count} bytes`);
  return out;
}

/** One column as an array: of 32-bit integers, or of doubles, which hold whole nanoseconds exactly. */
function readColumn(bytes, place) {
  const { count, form, wide } = place;
  let at = place.at;
  if (!wide) {
    const numbers = new Int32Array(count);
    for (let row = 0; row < count; row++) {
      let byte = bytes[at++], number = byte & 127;
      for (let shift = 7; byte > 127; shift += 7) { byte = bytes[at++]; number |= (byte & 127) << shift; }
      numbers[row] = number;
    }
    return numbers;
  }
  const numbers = new Float64Array(count), rising = form === "rising";
  let before = 0;
  for (let row = 0; row < count; row++) {
    let byte = bytes[at++], number = byte & 127;
    for (let scale = 128; byte > 127; scale *= 128) { byte = bytes[at++]; number += (byte & 127) * scale; }
    if (rising) { number += before; before = number; }
    numbers[row] = number;
  }
  return numbers;
}

/** Adds the columns of a part, which an element has, to tables by name and field: tables.call.begin. */
async function readColumns(part, elementId, tables) {
  const holder = document.getElementById(elementId);
  const bytes = await inflate(bytesOfBase64(holder.textContent), part.byte_count);
  holder.remove();
  for (const place of part.columns) {
    const [table, field] = place.name.split(".");
    (tables[table] ??= {})[field] = readColumn(bytes, place);
  }
}
