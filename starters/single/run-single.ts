import { openRecordsIfAny } from '../../client/open-records.ts';
import type { Settings } from '../../client/settings.ts';
import { askSingle, decideOn } from '../../client/single/ask-single.ts';
import { findOnRecord, readSingle, type SingleRecord } from '../../client/single/find-single.ts';
import { areRowsCleaned } from '../../batches/clean/clean-batch.ts';
import { readSingleJob, type SingleJob, type SingleOptions, type SoundJob } from '../../batches/single/single-job.ts';
import { defined } from '../../contract/defined.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { learntLimits } from '../../client/parts/text-limits.ts';
import { openStore } from '../../store/open-store.ts';
import type { RunContext } from '../command-context.ts';
import { readTuning } from '../commands/tuning-flags.ts';
import { isPlaceKnown } from '../../client/trust/known-ledgers.ts';
import { readApiAccess, readApiUrl } from '../connect/settings.ts';
import { confirmedSettings } from '../trust/confirmed-settings.ts';
import { withInvocation, type Invocation } from '../invocation.ts';
import { ExitError, usageError } from '../exit-error.ts';
import { beginServerHere } from '../run/early-server.ts';
import { workOnBatch } from '../run/work-on-batch.ts';
import { approveAgain, approveNew } from './approve-single.ts';
import { endSingle } from './end-single.ts';
import type { Giving } from './giving.ts';
import { heldText, refuseJob } from './single-words.ts';
import type { SingleFlags } from './single-flags.ts';

/** A single job that a command asks for. */
export interface SingleRequest extends Giving {
  readonly job: SingleJob;
  readonly flags: SingleFlags;
  readonly context: RunContext;
  /** Standard input was read for the job, so nobody can be asked. Default false. */
  readonly readsStdin?: boolean;
}

/**
 * Runs one job as a batch of one row, on the path of every batch, and hands out its result. The same job again
 * continues it, or hands out what is finished without any request; see `policy/single/same-again.ts`.
 */
export async function runSingle(request: SingleRequest): Promise<ExitName> {
  const { job, flags } = request;
  const { assumeSeconds, apiDialect } = flags;
  const settings = await confirmedSettings(flags);
  const options = { tuning: readTuning(flags), ...defined({ assumeSeconds, apiDialect }) };
  const read = async (more: SingleOptions): Promise<SoundJob> => {
    const answer = await readSingleJob(job, { ...options, ...more }, settings.config);
    if (answer.type === 'faulty') throw refuseJob(job, answer.problems);
    return answer;
  };
  const recorded = await read({ anyLength: true });
  if (recorded.settings.cache === 'only') refusePaying(flags);
  const standing = await endFromRecord(request, recorded, settings);
  switch (standing.type) {
    case 'ended':
      return standing.exit;
    case 'known':
      return askAndWork(request, recorded, settings);
    case 'new': {
      const textLimits =
        job.split === undefined ? undefined : await learntLimits(readApiUrl(settings, flags), settings);
      return askAndWork(request, await read(defined({ textLimits })), settings);
    }
  }
}

/** Throws {@link ExitError} `usage` if a command that pays for nothing is to pay. */
function refusePaying({ again = false, resubmit = false }: SingleFlags): void {
  if (!again && !resubmit) return;
  const paying = again ? '--again' : '--resubmit';
  throw usageError(`${paying} pays for a request, and --cached-only (--cache only) sends none. Leave one of them out.`);
}

/** Where a job is by the record alone. `known`: its batch goes on. `new`: it becomes a batch, or the API has to say whose it is. */
type Standing = { readonly type: 'ended'; readonly exit: ExitName } | { readonly type: 'known' | 'new' };

/**
 * Hands out a job that is finished on record, or says why it is not run again. No server is started for that, and
 * nothing is asked of the API.
 */
async function endFromRecord(request: SingleRequest, job: SoundJob, settings: Settings): Promise<Standing> {
  const { flags, context } = request;
  const apiUrl = readApiUrl(settings, flags);
  const ledger = apiUrl === undefined ? undefined : await openRecordsIfAny(settings);
  if (ledger === undefined || apiUrl === undefined) return { type: 'new' };
  try {
    const record = await findOnRecord(ledger, job, apiUrl);
    if (record === undefined) return { type: 'new' };
    const { again = false, resubmit = false } = flags;
    const decided = decideOn(record, { again, resubmit });
    if (decided.type === 'go-on' || decided.type === 'redrive')
      return { type: areRowsCleaned(record.batch) ? 'new' : 'known' };
    if (decided.type === 'hold') context.output.say(heldText(decided));
    const store = await openStore(settings.store, settings.env);
    const ending = endSingle({ ...request, record, ledger, store, why: 'closed', isOld: true });
    return { type: 'ended', exit: await ending.finally(() => store.close()) };
  } finally {
    await ledger.close();
  }
}

async function askAndWork(request: SingleRequest, job: SoundJob, settings: Settings): Promise<ExitName> {
  const { flags, readsStdin = false } = request;
  const context = quietContext(request);
  // Reported before a server is started for nothing.
  if (settings.cluster === undefined) requireAccess(settings, flags);
  const isEarly = settings.cluster === undefined && isPlaceKnown(settings);
  const server = isEarly ? beginServerHere(settings, context.output.say) : undefined;
  try {
    await server?.underWay;
    const input = readsStdin ? '-' : undefined;
    return await withInvocation({ settings, flags, context, mustExist: false, input }, async (invocation) => {
      const { again = false, resubmit = false } = flags;
      const spend = { job, flags, config: settings.config, ready: request.ready };
      const asked = await askSingle({
        session: invocation.session,
        job,
        tuning: readTuning(flags),
        again,
        resubmit,
        approve: (open, voices) => approveNew(spend, { open, voices }, invocation),
        approveAgain: (take, open) => approveAgain(spend, take, open, invocation),
      });
      switch (asked.type) {
        case 'declined':
          throw new Error('What is not approved ends with its own words.');
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
          return workOnBatch({ record, isNew, out: null, server, usesUp: true }, invocation, async (why) => {
            const ledger = await invocation.session.ledger();
            const now = (await ledger.findBatch(record.name)) ?? record;
            return end(request, await readSingle(ledger, now), invocation, { why, isOld: false });
          });
        }
      }
    });
  } finally {
    await server?.end();
  }
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
function requireAccess(settings: Settings, flags: SingleFlags): void {
  try {
    readApiAccess(settings, flags);
  } catch (error) {
    if (error instanceof ExitError && error.exit === 'api') throw error;
  }
}

/** Of one row, a line of progress now and then says nothing; on a terminal it shows that something goes on. */
function quietContext({ context, flags }: SingleRequest): RunContext {
  const { output } = context;
  return { ...context, output: { ...output, isQuiet: flags.quiet === true || !output.isTerminal } };
}
