import { expect } from '@jest/globals';
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describeMismatch } from '../../results/verification/mismatch.ts';
import { writeOutFolder } from '../../results/write-out-folder.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { addSampleBatch } from './sample-batch.ts';
import { FolderOfMedia, type Place } from '../support/place.ts';

/** A finished batch in the out folder; its media are copies, so that they can be damaged without the store. */
export async function projectCopies(place: Place): Promise<void> {
  await addSampleBatch(place);
  await projectAgain(place);
}

/** The same files anew. */
export async function projectAgain(place: Place): Promise<void> {
  await writeOutFolder(place.request({ store: new FolderOfMedia(place.store.folder, false) }));
}

/** Changes a text; a change that changes nothing is a mistake of the test. */
export async function changeFile(path: string, by: (text: string) => string): Promise<void> {
  const text = await readFile(path, 'utf8');
  const changed = by(text);
  if (changed === text) throw new Error(`expected the test to change ${path}, but it did not`);
  await writeFile(path, changed);
}

/** Makes the summary's hash of a file right again, as a careful forger would. */
export async function rehash(out: string, name: string): Promise<void> {
  const sha256 = createHash('sha256')
    .update(await readFile(join(out, name)))
    .digest('hex');
  const summary = join(out, 'summary.json');
  await changeFile(summary, (text) => text.replace(new RegExp(`("${name}": ")[0-9a-f]+`, 'u'), `$1${sha256}`));
}

/** The out folder of a place, as its tests change it and look at it. */
export function damaging(place: Place): Damaging {
  return {
    change: (name, by) => changeFile(join(place.out, name), by),
    findAfter: (name, by) => findForged(place.out, name, by),
  };
}

type Change = (text: string) => string;

interface Damaging {
  readonly change: (name: string, by: Change) => Promise<void>;
  readonly findAfter: (name: string, by: Change) => Promise<readonly string[]>;
}

/** What is found after a file was changed and its hash forged; without forging, its hash is the first finding. */
export async function findForged(out: string, name: string, by: (text: string) => string): Promise<readonly string[]> {
  await changeFile(join(out, name), by);
  const unforged = await verifyOut(out);
  expect(unforged.mismatches[0]?.where).toBe(`${name}, sha256`);
  await rehash(out, name);
  const { mismatches } = await verifyOut(out);
  expect(mismatches).toEqual(unforged.mismatches.slice(1));
  return mismatches.map(describeMismatch);
}

/** Takes the lines that begin like this out of a text. */
export const dropLine =
  (start: string) =>
  (text: string): string =>
    text
      .split('\n')
      .filter((line) => !line.startsWith(start))
      .join('\n');

/** Doubles the lines that begin like this. */
export const doubleLine =
  (start: string) =>
  (text: string): string =>
    text
      .split('\n')
      .flatMap((line) => (line.startsWith(start) ? [line, line] : [line]))
      .join('\n');

/** The records of a table of ours, each with its line end; a cell of a CSV file may have line ends of its own. */
export function recordsOf(name: string, text: string): string[] {
  const records: string[] = [];
  let start = 0;
  let isQuoted = false;
  for (let at = 0; at < text.length; at += 1) {
    if (text[at] === '"' && name.endsWith('csv')) isQuoted = !isQuoted;
    if (text[at] !== '\n' || isQuoted) continue;
    records.push(text.slice(start, at + 1));
    start = at + 1;
  }
  return records;
}
