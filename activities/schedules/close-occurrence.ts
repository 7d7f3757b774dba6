import { messageOf } from '../../contract/message-of.ts';
import { ApplicationFailure } from '@temporalio/common';
import { termsOf } from '../../batches/schedules/admit-firing.ts';
import { areRowsCleaned } from '../../batches/clean/cleaned-rows.ts';
import { exitOfView } from '../../batches/status/view-batch.ts';
import { writeEndedBatch } from '../../batches/write-ended-batch.ts';
import type { OccurrenceEnd } from '../../contract/activities.ts';
import { isoTime } from '../../contract/times.ts';
import { defined } from '../../contract/defined.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { occurrenceVerdict } from '../../policy/schedules/occurrence-end.ts';
import { formatOccurrence, parseOccurrence, type Occurrence } from '../../policy/schedules/occurrence.ts';
import { BatchCache, loadBatch } from '../cache/batch-cache.ts';
import type { BatchRecord } from '../../ledger/batches/batch-records.ts';
import type { Counts } from '../../ledger/batches/counts.ts';
import type { Dependencies } from '../dependencies.ts';
import { pausesSchedule } from './pauses-schedule.ts';

type EndedOccurrence = Extract<OccurrenceEnd, { readonly type: 'ended' }>;

/**
 * Ends an occurrence whose batch has ended: writes the batch's files to the folder recorded for the occurrence, and
 * records how it ended. Returns `open` if the batch has not ended, for example because it is paused. Does not wait for
 * that: with hundreds of firings, each would occupy a slot that could run a lane. If the files cannot be written, or
 * finished copies (post-processed with ffmpeg) not made, the occurrence has failed; both can be done later. Throws for
 * the name of any other batch, whose files are written by the command that runs it.
 */
export async function closeOccurrence(deps: Dependencies, name: string): Promise<OccurrenceEnd> {
  const { ledger, realm } = deps;
  const occurrence = parseOccurrence(name);
  const recorded = occurrence === undefined ? undefined : await ledger.findOccurrence(occurrence);
  if (occurrence === undefined || recorded === undefined) {
    throw ApplicationFailure.nonRetryable(`The ledger has no occurrence with a batch "${name}".`, 'OccurrenceMissing');
  }
  // Bypass the cache: the check that follows a batch's end must not see its state from a moment before.
  const batch = await loadBatch({ batches: new BatchCache(ledger), realm }, name);
  if (batch.state !== 'closed') return { type: 'open' };
  const out = recorded.out ?? (await outOfSchedule(deps, occurrence));
  return writeEnd(deps, { occurrence, batch, out, ...(await pausesSchedule(ledger, occurrence)) });
}

/**
 * Writes the files of an occurrence that had ended before this firing of it, and records how its batch stands now. Does
 * not pause the schedule: whoever resumed it knows of the failure. `out`: the folder of its files.
 */
export async function closeAgain(
  deps: Dependencies,
  ended: { readonly occurrence: Occurrence; readonly batch: BatchRecord; readonly out: string | undefined },
): Promise<void> {
  await writeEnd(deps, { ...ended, pauses: false });
}

/** The end of an occurrence. */
interface Ending {
  readonly occurrence: Occurrence;
  readonly batch: BatchRecord;
  /** Folder of its files. */
  readonly out: string | undefined;
  /** Whether its schedule pauses if it has newly failed. */
  readonly pauses: boolean;
}

/** Writes the files of an ended batch, and records the end of its occurrence. */
async function writeEnd(deps: Dependencies, { occurrence, batch, out, pauses }: Ending): Promise<EndedOccurrence> {
  const { schedule, at } = occurrence;
  const { name } = batch;
  const end = await writeFiles(deps, batch, out);
  await deps.ledger.endOccurrence(occurrence, occurrenceVerdict(name, end), { pauses, ...defined({ out }) });
  const { exit, problem } = end;
  deps.observe({ type: 'occurrence', is: 'end', schedule, at: isoTime(at), batch: name, exit, problem });
  return end;
}

/**
 * The output folder from the schedule's record, for an occurrence begun by an earlier version, which recorded no
 * folder.
 */
async function outOfSchedule({ ledger }: Dependencies, occurrence: Occurrence): Promise<string | undefined> {
  const schedule = await ledger.scheduleRecord(occurrence.schedule);
  return schedule === undefined ? undefined : termsOf(schedule, formatOccurrence(occurrence))?.out;
}

/**
 * Writes the files of an ended batch. If the batch was cleaned since, existing files are kept, because they contain
 * more.
 */
async function writeFiles(deps: Dependencies, batch: BatchRecord, out: string | undefined): Promise<EndedOccurrence> {
  const { ledger, store, observe, voxbatchVersion } = deps;
  const { name } = batch;
  if (areRowsCleaned(batch)) {
    const counts = await ledger.counts(name);
    return { type: 'ended', exit: exitOfView({ batch, counts }), ...leftOutOf(batch, counts) };
  }
  if (out === undefined) {
    const problem = `The folder for its files is not on record, because its schedule was deleted. To write them: voxbatch results ${shellWord(name)}`;
    return { type: 'ended', exit: exitOfView({ batch, counts: await ledger.counts(name) }), problem };
  }
  try {
    const made = await writeEndedBatch({ ledger, store, batch, out, voxbatchVersion });
    const { counts, mismatches, finished, reportProblem: error } = made;
    if (error !== null) observe({ type: 'note', what: 'report-unwritten', batch: name, error, facts: { out } });
    const exit = exitOfView({ batch, counts }, mismatches.length > 0);
    const notMade = (finished ?? []).filter(({ file }) => file === '').length;
    // Individual audio that cannot be finished is a normal result; a machine without ffmpeg needs fixing.
    const lacksFfmpeg = notMade > 0 && (await store.ffmpeg()) === undefined;
    const problem = lacksFfmpeg ? unfinishedText(notMade, name, out) : undefined;
    return { type: 'ended', exit, ...leftOutOf(batch, counts), ...defined({ problem }) };
  } catch (error) {
    const exit = exitOfView({ batch, counts: await ledger.counts(name) });
    const why = messageOf(error);
    observe({ type: 'note', what: 'files-unwritten', batch: name, error: why, facts: { out } });
    return { type: 'ended', exit, problem: `The files of batch "${name}" cannot be written to ${out}: ${why}.` };
  }
}

function unfinishedText(copies: number, batch: string, out: string): string {
  const were = copies === 1 ? 'finished copy was' : 'finished copies were';
  return (
    `${String(copies)} ${were} not made, because the worker found no ffmpeg. Everything else is in ${out}. ` +
    `Where there is one, make them, free: voxbatch results ${shellWord(batch)} --out ${shellWord(out)}`
  );
}

/** Returns how many chosen rows were never sent, and what may be the cause; nothing if there are none. */
function leftOutOf({ settings }: BatchRecord, counts: Counts): Pick<EndedOccurrence, 'leftOut'> {
  const rows = counts.outcomes.skipped - counts.notChosen;
  return rows === 0 ? {} : { leftOut: { rows, budget: settings.budget, isCachedOnly: settings.cache === 'only' } };
}
