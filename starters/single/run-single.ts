import type { Settings } from '../../client/settings.ts';
import { requestSingle, type SingleJobRequest } from '../../client/single/request-single.ts';
import { openStoreOf } from '../../client/claim-store.ts';
import { openRecordsIfAny } from '../../client/open-records.ts';
import { prepareSingle, readSingle, type PrepareRequest, type SingleRecord } from '../../client/single/find-single.ts';
import { soleDialect } from '../../contract/dialects.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { jsonLine, type RunContext } from '../terminal/output.ts';
import { readTuning } from '../commands/tuning-flags.ts';
import { isPlaceKnown } from '../../client/trust/known-ledgers.ts';
import { readApiAccess, readApiUrl } from '../connect/settings.ts';
import { confirmedSettings } from '../trust/confirm.ts';
import { noteTake } from '../recorded-take.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { beginServerHere } from '../run/early-server.ts';
import { workOnBatch, type WorkEnd, type WorkRequest } from '../run/work-on-batch.ts';
import { billError } from '../run/pricing-words.ts';
import { eventLines, heldText, refuseJob, costText, endText, stoppedText } from './single-words.ts';
import type { Delivered, Delivery, DeliveryContext } from './deliver.ts';
import type { Flags } from '../commands/flags.ts';
import { viewJob, viewSingle, type SingleView } from '../../client/single/single-view.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { shellWord } from '../../contract/shell-word.ts';

/** A single job that a command runs. */
export interface SingleRequest extends Delivery {
  readonly job: PrepareRequest['job'];
  readonly flags: Flags;
  readonly context: RunContext;
  /** Stdin has the job's text, so the user cannot be asked. Default: false. */
  readonly readsStdin?: boolean;
}

/**
 * Runs one job as a batch of one row, and delivers its result: writes its file, or prints its text. The same command
 * again continues the job, or delivers a finished result without any request (`policy/single/same-again.ts`).
 */
export async function runSingle(request: SingleRequest): Promise<ExitName> {
  const { job, flags, context } = request;
  const { assumeSeconds, apiDialect, again = false, resubmit = false } = flags;
  const settings = await confirmedSettings(flags);
  const options = {
    tuning: readTuning(flags),
    ...defined({ assumeSeconds, apiDialect: apiDialect && soleDialect(apiDialect) }),
  };
  if ((options.tuning.cache ?? settings.config.cache) === 'only') refusePaying(flags);
  const apiUrl = readApiUrl(settings, flags);
  const records = apiUrl === undefined ? undefined : await openRecordsIfAny(settings);
  try {
    const prepared = await prepareSingle({ job, options, settings, apiUrl, ledger: records, again, resubmit });
    if (prepared.type === 'faulty') throw refuseJob(job, prepared.problems);
    if (prepared.type === 'ready') return await askAndWork(request, prepared.job, settings);
    const { record, held, ledger } = prepared;
    // It ended without a result, and only an explicit flag runs it again.
    if (held !== undefined) context.output.say(heldText({ why: held }));
    const store = await openStoreOf(settings);
    return await endSingle({ ...request, record, ledger, store, why: 'closed', isOld: true }).finally(() =>
      store.close(),
    );
  } finally {
    await records?.close();
  }
}

/** Throws {@link ExitError} `usage` for flags that order a payment together with `--cache only`. */
function refusePaying({ again = false, resubmit = false }: Flags): void {
  if (!again && !resubmit) return;
  const paying = again ? '--again' : '--resubmit';
  throw usageError(`${paying} pays for a request, and --cache only sends none. Leave one of them out.`);
}

/** Starts a server early if one will be needed, opens the session, and calls {@link askAndWorkIn}. */
async function askAndWork(request: SingleRequest, job: SingleJobRequest['job'], settings: Settings): Promise<ExitName> {
  const { flags, readsStdin = false } = request;
  const context = quietContext(request);
  // Checked before a server is started.
  if (settings.cluster === undefined) requireAccess(settings, flags);
  const isEarly = settings.cluster === undefined && isPlaceKnown(settings);
  const server = isEarly ? beginServerHere(settings, context.output.say) : undefined;
  try {
    await server?.underWay;
    const input = readsStdin ? '-' : undefined;
    return await withInvocation({ settings, flags, context, mustExist: false, input }, (invocation) =>
      askAndWorkIn(invocation, { ...request, context }, job, settings, server),
    );
  } finally {
    await server?.end();
  }
}

/**
 * Asks the user if needed, records the job, works on it, and delivers the result. Returns the exit code. A job may turn
 * out to be on record: with a result (`given`), or one that only an explicit flag runs again (`held`).
 */
async function askAndWorkIn(
  invocation: Invocation,
  request: SingleRequest,
  job: SingleJobRequest['job'],
  settings: Settings,
  server: WorkRequest['server'],
): Promise<ExitName> {
  const { flags, context } = request;
  const { again = false, resubmit = false, probe = false } = flags;
  const { session, person, output } = invocation;
  const tuning = readTuning(flags);
  const words = { isProbed: probe, ...job.settings };
  // From then on, messages must not advise to repeat the command: it would pay again.
  const noteIfNewTake = (next: string): void => {
    if (again || resubmit)
      noteTake(context.takeNote, next, `the same command without --${again ? 'again' : 'resubmit'}`);
  };
  const wanted = { session, job, tuning, again, resubmit, person, probe };
  const asked = await requestSingle({
    ...wanted,
    confirmAbove: flags.confirm ?? settings.config.confirmAbove ?? null,
    // Called once the user has agreed to the price, right before the job is recorded.
    ready: async () => {
      await request.prepare();
      // The job's batch has no name yet.
      noteIfNewTake('voxbatch list');
    },
    onEvent: (event) => {
      if (event.type === 'opening') noteIfNewTake(statusCommand(event.batch));
      for (const line of eventLines(event, words)) output.say(line);
    },
  });
  switch (asked.type) {
    case 'faulty':
      throw refuseJob(job.job, asked.problems);
    case 'refused':
    case 'declined':
      throw billError(asked, tuning.budget !== undefined);
    case 'not-opened':
      throw new ExitError('usage', `${asked.why} Nothing was spent.`);
    case 'held':
    case 'given':
      if (asked.type === 'held') output.say(heldText(asked));
      return endInSession(request, asked.record, invocation, { why: 'closed', isOld: true });
    case 'open': {
      if (!asked.isNew) await request.prepare();
      const { batch: record, isNew } = asked;
      noteIfNewTake(statusCommand(record.name));
      const isReopened = !isNew && (again || resubmit);
      // No out folder: the result is delivered below. A running `voxbatch up` does the work.
      const work = { record, isNew, isReopened, out: null, server, usesUp: true };
      return workOnBatch(work, invocation, async (why) => {
        const ledger = await session.ledger();
        const now = (await ledger.findBatch(record.name)) ?? record;
        return endInSession(request, await readSingle(ledger, now), invocation, { why, isOld: false });
      });
    }
  }
}

function statusCommand(batch: string): string {
  return `voxbatch status ${shellWord(batch)}`;
}

/** Calls {@link endSingle} with the ledger and the store of the command's session. */
async function endInSession(
  request: SingleRequest,
  record: SingleRecord,
  { session, output }: Invocation,
  how: Pick<Parameters<typeof endSingle>[0], 'why' | 'isOld'>,
): Promise<ExitName> {
  const [ledger, store] = [await session.ledger(), await session.store()];
  return endSingle({ ...request, ...how, record, ledger, store, context: { ...request.context, output } });
}

/**
 * Throws {@link ExitError} `api` if no API is configured. Ignores the refusal of an unconfirmed config file's URL: the
 * user is asked about it later.
 */
function requireAccess(settings: Settings, flags: Flags): void {
  try {
    readApiAccess(settings, flags);
  } catch (error) {
    if (error instanceof ExitError && error.exit === 'api') throw error;
  }
}

/** Returns the context without progress lines, which say nothing about a single row; a terminal keeps its bar. */
function quietContext({ context }: SingleRequest): RunContext {
  const { output } = context;
  return { ...context, output: output.draw === undefined ? { ...output, progress: 'none' } : output };
}

/** A job's state when its command ends. */
export interface SingleEnd extends Pick<Delivery, 'deliver'> {
  readonly store: DeliveryContext['store'] & Parameters<typeof viewSingle>[1];
  readonly record: SingleRecord;
  readonly ledger: Parameters<typeof viewSingle>[0];
  readonly flags: Flags;
  readonly context: RunContext;
  readonly why: WorkEnd;
  /** Nothing was sent by this command. */
  readonly isOld: boolean;
}

/** Delivers a job's result, or prints why there is none and what to do. Returns the exit code. */
async function endSingle(ended: SingleEnd): Promise<ExitName> {
  const { record, ledger, store, why, isOld, context, flags } = ended;
  const { output, takeNote } = context;
  const { taken } = takeNote ?? {};
  const stopped = why === 'interrupted' || why === 'terminated' ? why : undefined;
  const { view, exit } = await viewSingle(ledger, store, record);
  const delivered: Delivered =
    stopped === undefined && hasResult(record.row.outcome)
      ? await deliverResult(ended, view)
      : { exit: stopped ?? exit, file: null };
  if (stopped !== undefined) output.say(stoppedText(taken));
  else if (!hasResult(record.row.outcome)) for (const line of endText(view, taken)) output.say(line);
  if (flags.json === true) output.data(jsonLine(viewJob(view, delivered.exit, delivered.file, isOld, taken?.next)));
  return delivered.exit;
}

async function deliverResult(
  { record, deliver, store, context, flags, isOld }: SingleEnd,
  view: SingleView,
): Promise<Delivered> {
  const { batch, row } = record;
  const { output } = context;
  const delivered = await deliver(record, { store, output, json: flags.json === true, isOld });
  const reused = row.outcome === 'cached' ? 'An earlier result was used. ' : '';
  const cost = isOld ? `Finished before. ${costText(view)} Nothing was sent now.` : `${reused}${costText(view)}`;
  output.say(`${cost} Record: voxbatch explain ${shellWord(batch.name)}`);
  return delivered;
}
