import { runLane } from '../../activities/lane/run-lane.ts';
import type { LaneReport } from '../../contract/activities.ts';
import type { RowSpec } from '../../contract/row-kinds.ts';
import type { WorkerOptions, World } from './world.ts';
import { tts, type Wanted } from './rows.ts';
import type { Worker } from './worker.ts';

/** What every link of a row leads to, in tests of what is done with that. */
const FILM = { etag: '"film"', bytes: 1_000 };

/** A worker for which every link leads to the same; `media` says otherwise. */
export function workerWithMedia(
  world: World,
  options: WorkerOptions = {},
  media: (url: string) => { readonly etag: string; readonly bytes: number } | undefined = () => FILM,
): Promise<Worker> {
  return world.worker({
    ...options,
    change: (deps) => ({
      media: {
        of: (urls) =>
          Promise.resolve(
            new Map(
              urls.flatMap((url) => {
                const found = media(url);
                return found === undefined ? [] : [[url, found]];
              }),
            ),
          ),
      },
      ...options.change?.(deps),
    }),
  });
}

/** Works on a batch until nothing is left to do, or the signal aborts. */
export function workOn(
  worker: Worker,
  batch: string,
  signal: AbortSignal = new AbortController().signal,
  run = 'run',
): Promise<LaneReport> {
  return runLane(worker.deps, { batch, lane: 1, lanes: 1, run }, signal, () => undefined);
}

/** Makes a batch of that name that uses earlier results, and works on it to its end. */
export async function runBatch(
  world: World,
  worker: Worker,
  name: string,
  specs: readonly RowSpec[],
  wanted: Wanted = {},
): Promise<void> {
  await world.fill(specs, { name, cache: 'on', ...wanted });
  await workOn(worker, name);
}

/** Outcomes of the first rows of a batch, in order. */
export async function outcomesOf(world: World, batch: string, rows = 1): Promise<(string | null)[]> {
  const all = Array.from({ length: rows }, async (_, index) => (await world.row(index + 1, batch)).outcome);
  return Promise.all(all);
}

/** So many rows with texts of their own. */
export function texts(count: number, of = 'Line'): RowSpec[] {
  return Array.from({ length: count }, (_, index) => tts(`${of} ${String(index + 1)}.`));
}
