/** The program of the page under test: it loads what a snapshot lists, converts it, and posts the files back. */
import { openConverter } from '/browser.js';

const WORKER = '/planning/convert-worker.js';

let converter = openConverter(WORKER);
let stop = new AbortController();

/** A snapshot as the converter takes it. */
async function load(number) {
  const { key, partsList, blocks, images } = await (await fetch(`/snapshots/${number}`)).json();
  const body = async (found) =>
    found.missing
      ? found
      : new Uint8Array(await (await fetch(`/bodies/${found.digest}`)).arrayBuffer());
  const all = async (entries) =>
    new Map(await Promise.all(entries.map(async ([name, found]) => [name, await body(found)])));
  return {
    key,
    partsList: await body({ digest: partsList }),
    blocks: await all(blocks),
    images: await all(images),
  };
}

const asAnswer = (error) => ({ error: { name: error.name, code: error.code, help: error.help } });

globalThis.convert = async (number) => {
  const snapshot = await load(number);
  stop = new AbortController();
  try {
    const { glb, ...figures } = await converter.convert(snapshot, stop.signal);
    await fetch('/made', { method: 'POST', body: glb });
    return figures;
  } catch (error) {
    return asAnswer(error);
  }
};

/** Calls at once: what became of each. */
globalThis.convertAll = async (numbers) => {
  const snapshots = await Promise.all(numbers.map(load));
  const { signal } = new AbortController();
  const calls = snapshots.map((snapshot) => converter.convert(snapshot, signal));
  const settled = await Promise.allSettled(calls);
  return settled.map(({ value, reason }) => value?.triangles ?? reason.name);
};

/** Ends a conversion, and converts the same again. */
globalThis.convertTwice = async (number) => {
  const snapshot = await load(number);
  const ended = new AbortController();
  const first = converter.convert(snapshot, ended.signal).catch((error) => error.name);
  ended.abort();
  const { triangles } = await converter.convert(snapshot, new AbortController().signal);
  return [await first, triangles];
};

globalThis.usdz = async (address) => {
  const glb = new Uint8Array(await (await fetch(address)).arrayBuffer());
  await fetch('/made', { method: 'POST', body: await converter.usdz(glb) });
};

/** Opens a converter in place of the one before. */
globalThis.open = (address = WORKER, options = {}) => {
  converter.close();
  converter = openConverter(address, options);
};
