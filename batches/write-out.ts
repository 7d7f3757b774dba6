import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { projectBatch, type Projection, type ProjectionRequest } from '../results/project.ts';
import { LinkedFolder } from '../results/real-folders.ts';
import { claimOut } from './out-folder.ts';

/** A finished batch and where to write its files. */
export interface WriteOutRequest {
  readonly ledger: Ledger;
  readonly store: ProjectionRequest['store'];
  readonly batch: BatchRecord;
  /** Absolute. */
  readonly out: string;
  readonly voxbatchVersion: string;
}

/**
 * Claims the out folder for a finished batch and writes its files. Throws if the folder belongs to another batch or cannot
 * be written.
 */
export async function writeOut(request: WriteOutRequest): Promise<Projection> {
  const { batch, out } = request;
  const found = await claimOut(out, batch, request.ledger);
  if (found.type === 'unwritable') throw found.cause;
  if (found.type === 'linked') throw new LinkedFolder(found.path);
  if (found.type === 'taken') throw new Error(`the folder ${found.by}`);
  return projectBatch({ ...request, batch: batch.name, complete: true });
}
