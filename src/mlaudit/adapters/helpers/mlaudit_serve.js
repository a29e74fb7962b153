// Serve a learner to mlaudit from Node.js 16 or later. This one file needs no other package.
//
//   mlaudit helper javascript > mlaudit_serve.js
//
//   const { serve } = require("./mlaudit_serve.js");
//   serve((data, random) => data.X.length + random(), { name: "noisy_count" });
//
// The learner gets the dataset (X, y, bounds, norm, labels; units, the owner of each row, if rows have owners; of a typed
// table also types, and table, which has the values of each column by its name), a function that returns uniform
// numbers in [0, 1), and the hello of mlaudit (epsilon, delta, relation, params). Its output is a number, a text, an
// array or an object.
// What console.log prints would break the protocol: it goes to standard error from here on.
"use strict";

const fs = require("fs");

const PROTOCOL = 1;
const PIECE = 1 << 16;
const FLUSH = 50; // milliseconds after which answers are sent, at the latest

console.log = console.error;

// xoshiro128**: a generator with 128 bits of state, which is what a seed has.
function makeRandom(seed) {
  const s = [0, 8, 16, 24].map((at) => parseInt(seed.slice(at, at + 8), 16) | 0);
  if (!(s[0] | s[1] | s[2] | s[3])) s[0] = 1;
  const rotate = (x, k) => (x << k) | (x >>> (32 - k));
  const next = () => {
    const result = Math.imul(rotate(Math.imul(s[1], 5), 7), 9) >>> 0;
    const t = s[1] << 9;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotate(s[3], 11);
    return result;
  };
  return () => ((next() >>> 5) * 67108864 + (next() >>> 6)) / 9007199254740992;
}

// JSON has no NaN and no infinities: they are sent as texts.
const plain = (_, value) => (typeof value === "number" && !Number.isFinite(value) ? String(value) : value);

function write(text) {
  let bytes = Buffer.from(text);
  while (bytes.length) {
    try {
      bytes = bytes.subarray(fs.writeSync(1, bytes));
    } catch (error) {
      if (error.code === "EPIPE") process.exit(0);
      if (error.code !== "EAGAIN") throw error;
    }
  }
}

// Not `on("line")`: reading without events keeps the order of requests, whatever the learner does.
function* readLines() {
  const chunk = Buffer.alloc(PIECE);
  let parts = [];
  for (;;) {
    let size = 0;
    try {
      size = fs.readSync(0, chunk, 0, PIECE, null);
    } catch (error) {
      if (error.code === "EAGAIN") continue;
      if (error.code !== "EOF") throw error;
    }
    if (size === 0) return;
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0 && at < size; at = chunk.indexOf(10, from)) {
      parts.push(Buffer.from(chunk.subarray(from, at)));
      yield Buffer.concat(parts).toString();
      parts = [];
      from = at + 1;
    }
    parts.push(Buffer.from(chunk.subarray(from, size)));
  }
}

// A typed table: the rows as they are, with null for no value, and the values of each column by its name.
function readTyped(message) {
  const table = Object.fromEntries(message.types.map(({ name }, at) => [name, message.X.map((row) => row[at])]));
  return { ...message, table };
}

function serve(learner, facts = {}) {
  const slots = [];
  let hello = null;
  for (const line of readLines()) {
    const message = JSON.parse(line);
    if (message.type === "hello") {
      hello = message;
      write(JSON.stringify({ type: "hello", protocol: PROTOCOL, ...facts }) + "\n");
    } else if (message.type === "data") {
      slots[message.slot] = message.types ? readTyped(message) : { ...message, X: message.X.map((row) => row.map(Number)) };
    } else if (message.type === "draw") {
      let answers = "";
      let sent = Date.now();
      for (const seed of message.seeds) {
        let answer;
        try {
          answer = { output: learner(slots[message.slot], makeRandom(seed), hello) };
        } catch (error) {
          answer = { error: error.name || "Error", message: String(error.message) };
        }
        answers += JSON.stringify(answer, plain) + "\n";
        if (answers.length > PIECE || Date.now() - sent > FLUSH) {
          write(answers);
          answers = "";
          sent = Date.now();
        }
      }
      write(answers + '{"type":"done"}\n');
    }
  }
}

module.exports = { serve, makeRandom };
