// A noisy sum in JavaScript, without any helper: the whole protocol of docs/other_languages.md in one file.
//
//   mlaudit run "cmd: node examples/other_languages/laplace.js" --epsilon 1 --data worst
//
// With --param scale=0.5 the noise is half of what ε needs, and mlaudit refutes the claim.
"use strict";

const readline = require("readline");

const slots = [];
let hello = null;

// splitmix32 of the first word of the seed, mixed with the others: enough for an example, not for cryptography.
function makeRandom(seed) {
  const words = [0, 8, 16, 24].map((at) => parseInt(seed.slice(at, at + 8), 16));
  let state = words[0];
  return () => {
    state = (state + 0x9e3779b9) | 0;
    let z = state ^ words[1];
    z = Math.imul(z ^ (z >>> 16) ^ words[2], 0x85ebca6b);
    z = Math.imul(z ^ (z >>> 13) ^ words[3], 0xc2b2ae35);
    return ((z ^ (z >>> 16)) >>> 0) / 4294967296;
  };
}

function noisySum(data, random) {
  const sum = data.X.reduce((total, row) => total + row[0], 0);
  const scale = (hello.params.scale || 1) / hello.epsilon;
  const u = random() - 0.5 + 2 ** -33;
  return sum - scale * Math.sign(u) * Math.log(1 - 2 * Math.abs(u));
}

function answer(message) {
  if (message.type === "hello") {
    hello = message;
    return JSON.stringify({ type: "hello", protocol: 1, name: "laplace.js", version: "1.0", bounds: [0, 1] }) + "\n";
  }
  if (message.type === "data") {
    slots[message.slot] = message;
    return "";
  }
  const outputs = message.seeds.map((seed) => ({ output: noisySum(slots[message.slot], makeRandom(seed)) }));
  return [...outputs, { type: "done" }].map((line) => JSON.stringify(line) + "\n").join("");
}

const lines = readline.createInterface({ input: process.stdin });
lines.on("line", (line) => process.stdout.write(answer(JSON.parse(line))));
