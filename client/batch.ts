import { resolve } from 'node:path';
import { explainRow, type RowHistory } from '../batches/explain.ts';
import { viewBatch, type BatchView } from '../batches/view-batch.ts';
import type { Control } from '../contract/outcomes.ts';
import type { Tuning } from '../contract/tunables.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { projectBatch, type Projection } from '../results/project.ts';
import { checkTuning } from './check-options.ts';
import { chooseBatch } from './open-records.ts';
import { claimOut } from './out-folder.ts';
import type { Session } from './session.ts';
import { steerBatch, type Steered } from './steer-batch.ts';
import { tuneBatch } from './tune-batch.ts';
import { voxbatchVersion } from './version.ts';

/** A batch that is on record. Nothing of this sends a paid request. */
export interface Batch {
  readonly name: string;
  /** How it stands: counts, sums, the commonest failures. */
  status(): Promise<BatchView>;
  /** All that is on record of a row: `row` is its id, or its number where no row has that id. */
  explain(row: string): Promise<{ readonly type: 'found'; readonly history: RowHistory } | { readonly type: 'no-row' }>;
  /** No more paid requests; running jobs are still fetched. Resolves when no paid request is on the wire. */
  pause(): Promise<Steered>;
  resume(): Promise<Steered>;
  /** Ends it for good: no more paid requests, unsent rows are cancelled. `now`: running jobs are not waited for either. */
  stop(options?: { readonly now?: boolean }): Promise<Steered>;
  /** Changes what may be changed at any time. Returns whether workers were told; false if nobody works on it. */
  tune(tuning: Tuning): Promise<boolean>;
  /** Writes the tables, the summary and the media as they stand. `out`: the folder, made if need be. May be repeated. */
  writeFiles(out: string): Promise<Projection>;
}

/** The batch of this name, as {@link Batch}. */
export function batchNamed(name: string, session: Session, say: (line: string) => void): Batch {
  const record = async (): Promise<BatchRecord> => chooseBatch(await session.ledger(), name);
  const steer = async (wish: Control, isNow = false): Promise<Steered> => {
    const { settings } = session;
    return steerBatch({ settings, ledger: await session.ledger(), batch: await record(), wish, isNow, say });
  };
  return {
    name,
    status: async () => viewBatch(await session.ledger(), await record()),
    explain: async (row) => explainRow(await session.ledger(), await record(), row),
    pause: () => steer('paused'),
    resume: () => steer('running'),
    stop: ({ now = false } = {}) => steer('stopping', now),
    tune: async (tuning) => {
      checkTuning(tuning);
      const { settings } = session;
      return tuneBatch({ settings, ledger: await session.ledger(), batch: await record(), tuning, say });
    },
    writeFiles: async (folder) => {
      const out = resolve(folder);
      const [ledger, store, batch] = [await session.ledger(), await session.store(), await record()];
      await claimOut(out, batch);
      const complete = batch.state === 'closed';
      return projectBatch({ ledger, store, batch: name, out, complete, voxbatchVersion: voxbatchVersion() });
    },
  };
}
