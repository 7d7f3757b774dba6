import { DEFAULT_REPORT } from '../contract/report.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import { type ProjectionRequest, type Projection, writeOutFolder } from '../results/write-out-folder.ts';
import { LinkedFolder } from '../results/errors.ts';
import type { WantedReport } from '../results/report/out-report.ts';
import { claimOut } from './out-folder.ts';
import { readReportContext } from './report/report-context.ts';

/** A finished batch and where to write its files. */
export interface EndedBatchRequest {
  readonly ledger: Ledger;
  readonly store: ProjectionRequest['store'];
  readonly batch: BatchRecord;
  /** Absolute path of the out folder. */
  readonly out: string;
  readonly voxbatchVersion: string;
  /** Default: the batch's choice of report, without advice on what to do next. */
  readonly report?: WantedReport;
}

/**
 * Claims the out folder for a finished batch and writes its files. Throws if the folder belongs to another batch or
 * cannot be written.
 */
export async function writeEndedBatch(request: EndedBatchRequest): Promise<Projection> {
  const { ledger, batch, out } = request;
  const found = await claimOut(out, batch, ledger);
  if (found.type === 'unwritable') throw found.cause;
  if (found.type === 'linked') throw new LinkedFolder(found.path);
  if (found.type === 'taken') throw new Error(`the folder ${found.by}`);
  if (found.type === 'forgotten') throw new Error(`the ledger does not have batch "${batch.name}" on record any more`);
  const report = request.report ?? {
    choice: batch.settings.report ?? DEFAULT_REPORT,
    context: () => readReportContext(ledger, batch),
  };
  return writeOutFolder({ ...request, report, batch: batch.name, complete: true });
}
