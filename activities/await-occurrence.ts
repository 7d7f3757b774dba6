import { setTimeout as sleep } from 'node:timers/promises';
import { exitOfView } from '../batches/view-batch.ts';
import { writeOut } from '../batches/write-out.ts';
import type { OccurrenceEnd } from '../contract/activities.ts';
import { endingOf } from '../policy/occurrence-end.ts';
import { parseOccurrence } from '../policy/occurrence.ts';
import { loadBatch } from './batch-cache.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import type { Dependencies } from './dependencies.ts';

type EndedOccurrence = Extract<OccurrenceEnd, { readonly type: 'ended' }>;

const LOOK_EVERY_MS = 1_000;
/** The workflow asks again after this long, in ms, so that a worker of a newer version gets its turn. */
const SLICE_MS = 3_600_000;

/**
 * Waits for a batch to end, writes its files, and records how the occurrence ended. `open`: it has not ended after an
 * hour, or this worker is shutting down. A paused batch has not ended. If the files cannot be written, the occurrence
 * has failed; they can be written later.
 */
export async function awaitOccurrence(
  deps: Dependencies,
  { batch: name, out }: { readonly batch: string; readonly out: string },
  cancelled: AbortSignal,
): Promise<OccurrenceEnd> {
  const signal = AbortSignal.any([cancelled, deps.ending]);
  const until = performance.now() + SLICE_MS;
  let batch = await loadBatch(deps, name);
  while (batch.state !== 'closed') {
    if (signal.aborted || performance.now() > until) return { type: 'open' };
    await sleep(LOOK_EVERY_MS, undefined, { signal }).catch(() => undefined);
    batch = await loadBatch(deps, name);
  }
  const end = await finish(deps, batch, out);
  const occurrence = parseOccurrence(name);
  if (occurrence !== undefined) await deps.ledger.endOccurrence(occurrence, endingOf(name, end));
  return end;
}

/** Writes the files of a batch that has ended. */
async function finish(deps: Dependencies, batch: BatchRecord, out: string): Promise<EndedOccurrence> {
  const { ledger, store, log, voxbatchVersion } = deps;
  const { name } = batch;
  try {
    const { counts, mismatches } = await writeOut({ ledger, store, batch, out, voxbatchVersion });
    return { type: 'ended', exit: exitOfView({ batch, counts }, mismatches.length > 0) };
  } catch (error) {
    const exit = exitOfView({ batch, counts: await ledger.counts(name) });
    const why = error instanceof Error ? error.message : String(error);
    log.warn({ batch: name, out, why }, 'files of an occurrence not written');
    return { type: 'ended', exit, problem: `The files of batch "${name}" cannot be written to ${out}: ${why}.` };
  }
}
