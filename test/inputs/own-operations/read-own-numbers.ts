import { workerData, parentPort } from 'node:worker_threads';
import { addOperations } from '../../../contract/own-operations/own-operation-rules.ts';
import { openManifest } from '../../../inputs/manifest-source.ts';
import { summarizeManifest } from '../../../inputs/read-manifest.ts';
import { loadFile, OPTIONS } from '../manifest-file.ts';

/** What a thread with this module answers about the manifest at the path that it is given. */
export interface OwnNumbers {
  /** The cell of each row; empty if there are problems. */
  readonly numbers: readonly unknown[];
  /** Line and code of each problem. */
  readonly problems: readonly (readonly [number, string])[];
  /** What the first problem says that a cell may be. */
  readonly expected: string;
}

/** The column of numbers of the operation that the thread adds. */
export const COLUMN = 'pitch';
const KIND = 'shift';

if (parentPort !== null) {
  addOperations([
    {
      ...{ name: KIND, path: '/shift', answer: 'direct', result: 'audio' },
      columns: { [COLUMN]: { field: COLUMN, cell: 'number' } },
      price: { unit: 'job', credits: 1 },
    },
  ]);
  parentPort.postMessage(await readNumbers(workerData as string));
}

async function readNumbers(path: string): Promise<OwnNumbers> {
  const kind = KIND as never;
  const source = await openManifest(path);
  const { problems } = await summarizeManifest(source, { ...OPTIONS, kind });
  await source.close();
  const rows = problems.length > 0 ? [] : (await loadFile(path, { kind })).rows;
  const numbers = rows.map(({ spec }) => (spec as unknown as Readonly<Record<string, unknown>>)[COLUMN]);
  return { numbers, problems: problems.map(({ line, code }) => [line, code]), expected: problems[0]?.expected ?? '' };
}
