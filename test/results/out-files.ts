import { expect } from '@jest/globals';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { writeOutFolder, type Projection, type ProjectionRequest } from '../../results/write-out-folder.ts';
import { verifyOut } from '../../results/verification/verify.ts';
import { redriveNow } from '../ledger/setup.ts';
import type { Place } from '../support/place.ts';

type Json = Record<string, unknown>;

/** The out folder of a place, and what its files say. */
export class OutFiles {
  readonly #place: Place;

  constructor(place: Place) {
    this.#place = place;
  }

  pathOf(name: string): string {
    return join(this.#place.out, name);
  }

  read(name: string): Promise<string> {
    return readFile(this.pathOf(name), 'utf8');
  }

  async summary(): Promise<Json> {
    return JSON.parse(await this.read('summary.json')) as Json;
  }

  async lines(name = 'results.jsonl'): Promise<readonly Json[]> {
    return (await this.read(name))
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Json);
  }

  /** The line of a row. */
  async line(row: number): Promise<Json | undefined> {
    return (await this.lines())[row - 1];
  }

  /** Names of all files below a folder, sorted. */
  async names(folder = ''): Promise<readonly string[]> {
    const entries = await readdir(this.pathOf(folder), { recursive: true, withFileTypes: true }).catch(() => []);
    const files = entries.filter((entry) => !entry.isDirectory()).map(({ parentPath, name }) => join(parentPath, name));
    return files.map((path) => path.slice(this.pathOf(folder).length).replace(/^\//, '')).sort();
  }

  /** The same with their content. */
  async contents(folder = ''): Promise<Readonly<Record<string, string>>> {
    const names = await this.names(folder);
    const read = names.map(async (name) => [name, await this.read(join(folder, name))] as const);
    return Object.fromEntries(await Promise.all(read));
  }

  /** Writes all files, which must fit together; of a batch that is closed before, if `complete`. */
  async project(complete = false, change: Partial<ProjectionRequest> = {}): Promise<Projection> {
    if (complete) await this.#place.ledger.closeBatch('demo');
    const projection = await writeOutFolder(this.#place.request({ complete, ...change }));
    expect(projection.mismatches).toEqual([]);
    expect((await verifyOut(this.#place.out)).mismatches).toEqual([]);
    return projection;
  }

  /** A person pays for a row again. */
  async payAgain(row: number, take = 1): Promise<void> {
    const how = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    expect((await redriveNow(this.#place.ledger, 'demo', [{ row, take, how }])).rows).toEqual([row]);
  }
}
