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
import { workOnBatch, type WorkEnd } from '../run/work-on-batch.ts';
import { billError } from '../run/pricing-words.ts';
import { askLines, heldText, refuseJob, costText, endText, stoppedHere } from './single-words.ts';
import type { Giving, Given, GivingPlace } from './give.ts';
import type { Flags } from '../commands/flags.ts';
import { viewJob, viewSingle, type SingleView } from '../../client/single/single-view.ts';
import { hasResult } from '../../contract/outcomes.ts';
import { shellWord } from '../../contract/shell-word.ts';

/** A single job requested by a command. */
export interface SingleRequest extends Giving {
  readonly job: PrepareRequest['job'];
  readonly flags: Flags;
  readonly context: RunContext;
  /** Standard input was read for the job, so nobody can be asked. Default false. */
  readonly readsStdin?: boolean;
}

/**
 * Runs one job as a batch of one row, on the path of every batch, and hands out its result. The same job again
 * continues it, or hands out what is finished without any request; see `policy/single/same-again.ts`.
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
    if (held !== undefined) context.output.say(heldText({ why: held }));
    const store = await openStoreOf(settings);
    return await endSingle({ ...request, record, ledger, store, why: 'closed', isOld: true }).finally(() =>
      store.close(),
    );
  } finally {
    await records?.close();
  }
}

/** Throws {@link ExitError} `usage` for flags that ask a non-paying command to pay. */
function refusePaying({ again = false, resubmit = false }: Flags): void {
  if (!again && !resubmit) return;
  const paying = again ? '--again' : '--resubmit';
  throw usageError(`${paying} pays for a request, and --cache only sends none. Leave one of them out.`);
}

async function askAndWork(request: SingleRequest, job: SingleJobRequest['job'], settings: Settings): Promise<ExitName> {
  const { flags, readsStdin = false } = request;
  const context = quietContext(request);
  // Checked early, before a server is started in vain.
  if (settings.cluster === undefined) requireAccess(settings, flags);
  const isEarly = settings.cluster === undefined && isPlaceKnown(settings);
  const server = isEarly ? beginServerHere(settings, context.output.say) : undefined;
  try {
    await server?.underWay;
    const input = readsStdin ? '-' : undefined;
    return await withInvocation({ settings, flags, context, mustExist: false, input }, async (invocation) => {
      const { again = false, resubmit = false } = flags;
      const { session, person, output } = invocation;
      const probe = flags.probe === true;
      const tuning = readTuning(flags);
      const words = { isProbed: probe, ...job.settings };
      const note = (next: string): void => {
        if (again || resubmit)
          noteTake(context.takeNote, next, `the same command without --${again ? 'again' : 'resubmit'}`);
      };
      const ready = async (): Promise<void> => {
        await request.ready();
        // Its name is not known yet.
        note('voxbatch list');
      };
      const asked = await requestSingle({
        ...{ session, job, tuning, again, resubmit, person, probe, ready },
        confirmAbove: flags.confirm ?? settings.config.confirmAbove ?? null,
        tell: (event) => {
          if (event.type === 'opening') note(statusCommand(event.batch));
          for (const line of askLines(event, words)) output.say(line);
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
          invocation.output.say(heldText(asked));
          return end(request, asked.record, invocation, { why: 'closed', isOld: true });
        case 'given':
          return end(request, asked.record, invocation, { why: 'closed', isOld: true });
        case 'open': {
          if (!asked.isNew) await request.ready();
          const { batch: record, isNew } = asked;
          note(statusCommand(record.name));
          const isReopened = !isNew && (again || resubmit);
          return workOnBatch(
            { record, isNew, isReopened, out: null, server, usesUp: true },
            invocation,
            async (why) => {
              const ledger = await invocation.session.ledger();
              const now = (await ledger.findBatch(record.name)) ?? record;
              return end(request, await readSingle(ledger, now), invocation, { why, isOld: false });
            },
          );
        }
      }
    });
  } finally {
    await server?.end();
  }
}

function statusCommand(batch: string): string {
  return `voxbatch status ${shellWord(batch)}`;
}

async function end(
  request: SingleRequest,
  record: SingleRecord,
  { session, output }: Invocation,
  how: Pick<Parameters<typeof endSingle>[0], 'why' | 'isOld'>,
): Promise<ExitName> {
  const [ledger, store] = [await session.ledger(), await session.store()];
  return endSingle({ ...request, ...how, record, ledger, store, context: { ...request.context, output } });
}

/** An address that only a config file names is asked about on a terminal, later. */
function requireAccess(settings: Settings, flags: Flags): void {
  try {
    readApiAccess(settings, flags);
  } catch (error) {
    if (error instanceof ExitError && error.exit === 'api') throw error;
  }
}

/** For a single row, periodic progress lines say nothing; on a terminal they at least show activity. */
function quietContext({ context }: SingleRequest): RunContext {
  const { output } = context;
  return { ...context, output: output.draw === undefined ? { ...output, progress: 'none' } : output };
}

/** A job's state when its command ends. */
export interface SingleEnd extends Pick<Giving, 'give'>, Pick<GivingPlace, 'store'> {
  readonly record: SingleRecord;
  readonly ledger: Parameters<typeof viewSingle>[0];
  readonly flags: Flags;
  readonly context: RunContext;
  readonly why: WorkEnd;
  /** Nothing was sent by this command. */
  readonly isOld: boolean;
}

/** Hands out the result of a job, or says why there is none and what to do. Returns the exit code. */
async function endSingle(end: SingleEnd): Promise<ExitName> {
  const { record, ledger, why, isOld, context, flags } = end;
  const { output, takeNote } = context;
  const { taken } = takeNote ?? {};
  const stopped = why === 'interrupted' || why === 'terminated' ? why : undefined;
  const { view, exit } = await viewSingle(ledger, record);
  const given: Given =
    stopped === undefined && hasResult(record.row.outcome)
      ? await handOut(end, view)
      : { exit: stopped ?? exit, file: null };
  if (stopped !== undefined) output.say(stoppedHere(taken));
  else if (!hasResult(record.row.outcome)) for (const line of endText(view, taken)) output.say(line);
  if (flags.json === true) output.data(jsonLine(viewJob(view, given.exit, given.file, isOld, taken?.next)));
  return given.exit;
}

async function handOut({ record, give, store, context, flags, isOld }: SingleEnd, view: SingleView): Promise<Given> {
  const { batch, row } = record;
  const { output } = context;
  const given = await give(record, { store, output, json: flags.json === true, isOld });
  const before = isOld
    ? 'Finished before, nothing was sent now. '
    : row.outcome === 'cached'
      ? 'An earlier result was used. '
      : '';
  output.say(`${before}${costText(view)} Record: voxbatch explain ${shellWord(batch.name)}`);
  return given;
}
