/*
 * Verifies receipts of deletions from files alone, on any machine with Node 20 or newer:
 *
 *   node verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id DISTINCT_ID]
 *
 * receipt.json is a receipt as GET receipts/{id}/ returns it, and receipt-keys.json is /.well-known/receipt-keys.json of
 * the service that signed it. ledger.json is the output of npm run ledger: it has the keys too, so receipt-keys.json is
 * optional.
 *
 * `npm run verifier` makes this file of the code that the service and the console run, too.
 */
// scripts/receipt/verify.ts
import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";

// src/encoding.ts
var toHex = (buffer) => [...new Uint8Array(buffer)].map((byte) => byte.toString(16).padStart(2, "0")).join("");
var fromHex = (text) => Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
var canonical = (value) => JSON.stringify(sorted(value));
function sorted(value) {
  if (Array.isArray(value)) {
    return value.map(sorted);
  }
  if (typeof value !== "object" || value === null) {
    return value;
  }
  const entries = Object.entries(value).toSorted(([a], [b]) => a < b ? -1 : 1);
  return Object.fromEntries(entries.map(([key, member]) => [key, sorted(member)]));
}

// src/erasures/receipts/check.ts
var ReceiptError = class extends Error {
  flaw;
  constructor(flaw, message) {
    super(message);
    this.flaw = flaw;
  }
};
function demand(holds, flaw, message) {
  if (!holds) {
    throw new ReceiptError(flaw, message);
  }
}
var countMembers = (text) => [...text.matchAll(/"(?:[^"\\]|\\.)*"\s*(:?)/g)].filter(([, colon]) => colon).length;
function readObject(text, file) {
  const json = text.replace(/^\ufeff/, "");
  demand(json.trim().startsWith("{"), "unreadable", `${file} holds no JSON object.`);
  let object;
  try {
    object = JSON.parse(json);
  } catch {
    throw new ReceiptError("unreadable", `${file} holds no valid JSON.`);
  }
  const isPlain = countMembers(json) === countMembers(JSON.stringify(object));
  demand(isPlain, "unreadable", `${file} has a member twice.`);
  return object;
}
var encode = (text) => Uint8Array.from(new TextEncoder().encode(text));
var fromBase64Url = (text) => Uint8Array.from(
  atob(text.replaceAll("-", "+").replaceAll("_", "/")),
  (char) => char.charCodeAt(0)
);
var digest = async (bytes) => toHex(await crypto.subtle.digest("SHA-256", bytes));
var hashOf = (value) => digest(encode(canonical(value)));
var fingerprintOf = (x) => digest(fromBase64Url(x));
async function isSignedBy(receipt, x) {
  const { signature, ...content } = receipt;
  if (typeof signature !== "string" || !/^[0-9a-f]{128}$/.test(signature)) {
    return false;
  }
  const key = await crypto.subtle.importKey("raw", fromBase64Url(x), "Ed25519", false, ["verify"]);
  const signed = encode(canonical(content));
  return crypto.subtle.verify("Ed25519", key, fromHex(signature), signed);
}
async function expectGenuine(receipt, keys) {
  const { key: kid, signature } = receipt;
  demand(kid !== void 0, "unsigned", "Nobody can verify this receipt: it names no key.");
  demand(
    typeof signature === "string",
    "unsigned",
    "This copy has no signature: the service lost its secret. Take an older copy."
  );
  const key = keys.find((one) => one.kid === kid);
  demand(key, "foreign", `The key ${kid} of the receipt is not among the published keys.`);
  const hasFingerprint = await fingerprintOf(key.x) === kid;
  demand(hasFingerprint, "forged", `The published key ${kid} does not match its fingerprint.`);
  demand(
    await isSignedBy(receipt, key.x),
    "forged",
    "The signature is wrong: the receipt was changed, or somebody else wrote it."
  );
  return key;
}
var isTexts = (value) => Array.isArray(value) && value.every((one) => typeof one === "string");
function subjectOf({ subject }) {
  const { salt, distinct_ids: hashes } = Object(subject);
  return { salt: String(salt), hashes: isTexts(hashes) ? hashes : [] };
}
async function isAbout(receipt, distinctId) {
  const { salt, hashes } = subjectOf(receipt);
  return hashes.includes(await digest(encode(`${salt}${distinctId}`)));
}
async function readParts({ links, given_up: lost = [] }) {
  let part = { first: 1, last: 0, hash: "0".repeat(64) };
  const parts = [];
  for (const link of links) {
    let seq = part.last + 1;
    while (lost.includes(seq)) {
      seq += 1;
    }
    const isNext = seq === part.last + 1;
    const follows = link.seq === seq && (!isNext || link.prev === part.hash);
    demand(
      follows,
      "forged",
      `Entry ${link.seq} of the ledger does not follow the entry before it.`
    );
    if (!isNext) {
      parts.push(part);
    }
    part = { first: isNext ? part.first : seq, last: seq, hash: await hashOf(link) };
  }
  return [...parts, part];
}
var findLink = async (body, { links }) => {
  const wanted = await hashOf(body);
  return links.find((link) => link.digest === wanted);
};
async function keysIn(ledger) {
  const keys = ledger.keys ?? [];
  const links = await Promise.all(keys.map((key) => findLink(key, ledger)));
  return keys.filter((_, i) => links[i]);
}
async function placeIn(receipt, ledger) {
  const parts = await readParts(ledger);
  const { links, given_up: lost = [] } = ledger;
  const gaps = lost.length > 0 ? ` Lost, and given up by the operator: entry ${lost.join(", ")}.` : "";
  const hash = await hashOf(receipt);
  const link = await findLink(
    { kind: "receipt", project: receipt.project_id, receipt: hash },
    ledger
  );
  demand(link, "forged", `The receipt is not in the ledger.${gaps}`);
  const part = parts.find(({ last }) => link.seq <= last);
  const range = gaps ? `in the part from entry ${part?.first} to ${part?.last}` : `of ${links.length} in the ledger`;
  return `It is entry ${link.seq} ${range} that ends with ${part?.hash}.${gaps}`;
}

// scripts/receipt/verify.ts
var USAGE = "verify-receipt.mjs receipt.json receipt-keys.json [ledger.json] [--id ID]";
function read(file) {
  try {
    return readObject(readFileSync(file, "utf8"), file);
  } catch (error) {
    const isMissing = error.code === "ENOENT";
    throw isMissing ? new Error(`There is no file ${file}.`) : error;
  }
}
async function aboutOf(receipt, id) {
  if (!await isAbout(receipt, id)) {
    const isNamed = subjectOf(receipt).hashes.length > 0;
    const why = isNamed ? "is not" : "names no distinct id: nobody can tell whether it is";
    throw new Error(`The receipt is genuine, but it ${why} about the distinct id ${id}.`);
  }
  return ` It is about the distinct id ${id}.`;
}
async function verify(receipt, files, id) {
  const ledger = files.find(({ links }) => links);
  const published = files.find((file) => file !== ledger)?.keys;
  const keys = [...ledger ? await keysIn(ledger) : [], ...published ?? []];
  const { kid } = await expectGenuine(receipt, keys);
  const about = id === void 0 ? "" : await aboutOf(receipt, id);
  const place = ledger ? ` ${await placeIn(receipt, ledger)}` : "";
  const person = receipt.person_uuid ? ` of person ${receipt.person_uuid}` : "";
  const at = receipt.verified_at ?? receipt.stated_at;
  return `Genuine: ${receipt.kind ?? "deletion"} ${receipt.id}${person}, verified at ${at}, signed with the key ${kid}.${about}${place}`;
}
try {
  const { values, positionals } = parseArgs({
    options: { id: { type: "string" } },
    allowPositionals: true
  });
  const [receipt, ...files] = positionals.map(read);
  if (!receipt || files.length === 0) {
    throw new Error(USAGE);
  }
  console.log(await verify(receipt, files, values.id));
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
}
