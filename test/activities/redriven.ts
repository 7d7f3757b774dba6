import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { chosenRows, type FoundRows, type RedriveSelection, rulesOf } from '../../batches/redrive/selection.ts';
import { withLostFiles } from '../../batches/redrive/lost-files.ts';
import { draftRedrive, openRows } from '../../batches/redrive/redrive.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import { workOn } from './cached.ts';
import { BATCH } from './rows.ts';
import type { Worker } from './worker.ts';
import type { World } from './world.ts';

/** Damages the stored file of a row, under no other of its names. */
export async function damage(
  world: World,
  row = 1,
  batch = BATCH,
  how: 'missing' | 'altered' = 'altered',
): Promise<void> {
  const { file } = await world.row(row, batch);
  const path = join(world.folder, 'store', file?.key ?? '');
  await rm(path);
  if (how === 'altered') await writeFile(path, 'x'.repeat(file?.bytes ?? 0));
}

/** What `voxbatch redrive` would do, of row 1 if no others are selected; `ROW/TAKE` is a take of a row. */
export async function draftOf(
  world: World,
  wish: RedriveSelection = {},
  batch = BATCH,
): Promise<{ readonly rows: FoundRows; readonly draft: RedriveDraft }> {
  const ledger = await world.look();
  const record = await ledger.findBatch(batch);
  if (record === undefined) throw new Error('there is no batch');
  const { rows: named = ['1'] } = wish;
  const folder = join(world.folder, 'store');
  const rules = rulesOf({ ...wish, rows: named });
  const rows = withLostFiles(
    chosenRows(
      ledger,
      batch,
      { rows: named.map((name) => Number(name.split('/')[0])) },
      new Map(
        named.flatMap((name) => (name.includes('/') ? [[Number(name.split('/')[0]), Number(name.split('/')[1])]] : [])),
      ),
    ),
    {
      ledger,
      batch,
      store: {
        folder,
        requireOwn: () => Promise.resolve(),
        rewrite: ({ file, text }) => writeFile(join(folder, file.key), text),
      },
    },
    rules,
  );
  return { rows, draft: await draftRedrive(ledger, record, rows, rules) };
}

/** As `voxbatch redrive` does with one row. Returns what it will pay for, and the rows whose jobs are read again. */
export async function redrive(
  world: World,
  wish: RedriveSelection = {},
  batch = BATCH,
  worker?: Worker,
): Promise<{ readonly paying: number; readonly waits: number }> {
  const { rows, draft } = await draftOf(world, wish, batch);
  expect(await openRows(await world.look(), batch, draft, rows)).toMatchObject({ type: 'opened', opened: 1 });
  await workOn(worker ?? (await world.worker()), batch);
  return { paying: draft.paying, waits: draft.waits };
}
