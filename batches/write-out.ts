import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { projectBatch, type Projection, type ProjectionRequest } from '../results/project.ts';
import { claimOut } from './out-folder.ts';

/** A batch that is finished, and where its files go. */
export interface WriteOutRequest {
  readonly ledger: Ledger;
  readonly store: ProjectionRequest['store'];
  readonly batch: BatchRecord;
  /** Absolute. */
  readonly out: string;
  readonly voxbatchVersion: string;
}

/** Makes the out folder that of a finished batch and writes its files. Throws where the folder is another's or cannot be written. */
export async function writeOut(request: WriteOutRequest): Promise<Projection> {
  const { batch, out } = request;
  const found = await claimOut(out, batch);
  if (found.type === 'unwritable') throw found.cause;
  if (found.type === 'taken') throw new Error(`the folder ${found.by}`);
  return projectBatch({ ...request, batch: batch.name, complete: true });
}
