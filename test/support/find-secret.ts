import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Client, Connection } from '@temporalio/client';
import type { TemporalPlace } from './temporal-place.ts';

/** What a search looks for: byte strings by what they are. */
export type Needles = ReadonlyMap<string, Buffer>;

/**
 * A secret in every form in which it could lie about: plain, URL-encoded, in JSON, as UTF-16, hex, and base64. In base64 it
 * looks different at each of three places in its surroundings, so the part that all neighbours leave alone is looked for.
 */
export function formsOf(secret: string): Needles {
  const bytes = Buffer.from(secret);
  const forms = new Map<string, Buffer>([
    ['plain', bytes],
    ['URL-encoded', Buffer.from(encodeURIComponent(secret))],
    ['form-encoded', Buffer.from(new URLSearchParams([['', secret]]).toString().slice(1))],
    ['JSON', Buffer.from(JSON.stringify(secret).slice(1, -1))],
    ['UTF-16', Buffer.from(secret, 'utf16le')],
    ['hex', Buffer.from(bytes.toString('hex'))],
  ]);
  for (const before of [0, 1, 2]) {
    // Whole groups of three bytes that hold nothing but the secret.
    const skipped = (3 - before) % 3;
    const whole = bytes.subarray(skipped, skipped + 3 * Math.floor((bytes.length - skipped) / 3));
    forms.set(`base64 after ${String(before)}`, Buffer.from(whole.toString('base64')));
    forms.set(`base64url after ${String(before)}`, Buffer.from(whole.toString('base64url')));
  }
  return forms;
}

/** Words to look for as they are. */
export function wordsOf(...words: readonly string[]): Needles {
  return new Map(words.map((word) => [word, Buffer.from(word)]));
}

/** Names of the needles that are in the bytes, after the place. */
export function findIn(place: string, bytes: Buffer | string, needles: Needles): string[] {
  const hay = typeof bytes === 'string' ? Buffer.from(bytes) : bytes;
  return [...needles].filter(([, needle]) => hay.includes(needle)).map(([name]) => `${place}: ${name}`);
}

/** Searches the bytes of every file below a folder, names of files included. */
export async function findInFolder(
  folder: string,
  needles: Needles,
): Promise<{ readonly found: readonly string[]; readonly files: readonly string[] }> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name));
  const found: string[] = [];
  for (const file of files) {
    const name = relative(folder, file);
    found.push(...findIn('a file name', name, needles), ...findIn(name, await readFile(file), needles));
  }
  return { found, files: files.map((file) => relative(folder, file)).sort() };
}

/**
 * Everything that Temporal tells about the workflows of a namespace, decoded: every string and every payload of all histories,
 * failures included, and of what is pending, heartbeat details included.
 */
export async function readEverything({
  address,
  namespace,
}: TemporalPlace): Promise<{ readonly workflows: number; readonly bytes: Buffer }> {
  const connection = await Connection.connect({ address });
  try {
    const client = new Client({ connection, namespace });
    const pieces: Buffer[] = [];
    let workflows = 0;
    for await (const { workflowId, runId } of client.workflow.list()) {
      const handle = client.workflow.getHandle(workflowId, runId);
      gather(await handle.fetchHistory(), pieces);
      gather((await handle.describe()).raw, pieces);
      workflows += 1;
    }
    return { workflows, bytes: Buffer.concat(pieces) };
  } finally {
    await connection.close();
  }
}

/** Strings and bytes anywhere in a value, each on a line of its own. */
export function gather(value: unknown, pieces: Buffer[]): void {
  if (typeof value === 'string') pieces.push(Buffer.from(`${value}\n`));
  else if (value instanceof Uint8Array) pieces.push(Buffer.from(value), Buffer.from('\n'));
  else if (typeof value === 'object' && value !== null) {
    for (const [name, inner] of Object.entries(value)) {
      pieces.push(Buffer.from(`${name}\n`));
      gather(inner, pieces);
    }
  }
}
