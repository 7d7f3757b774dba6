import { resolve } from 'node:path';
import { ApiError } from '../../api/speech-api.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { newIdentity, type WorkerWorld } from '../../worker/dependencies.ts';
import { adoptJob, listOrphans, settleUnknown, type Orphan } from '../../worker/settle-unknown.ts';
import { openFolderStore } from '../../store/folder-store.ts';
import { openLog } from '../embedded-worker.ts';
import type { RunContext } from '../command-context.ts';
import { ExitError } from '../exit-error.ts';
import { hasList } from '../gather-leftovers.ts';
import { shellWord } from '../go-on-command.ts';
import { exitOfView, lookAtLedger, viewBatch } from '../look-at.ts';
import { beforeWork } from '../machine-trouble.ts';
import { withApi, type OpenApi } from '../open-api.ts';
import { chooseBatch } from '../open-records.ts';
import { requireWritableOut } from '../out-folder.ts';
import { RedriveDraft } from '../redrive-draft.ts';
import { budgetLeft, redriveRows, requireSameRealm, workOn } from '../redrive-rows.ts';
import { refuseLoading } from '../refuse-loading.ts';
import { findRow, selectRows } from '../select-rows.ts';
import type { Settings } from '../settings.ts';
import { wordSteps } from '../terminal/next-steps.ts';
import { orphanLines, reconciledJson, reconciledLine, type ReconciledRow } from '../terminal/reconcile-words.ts';

/** What `reconcile` was told on the command line. */
export interface ReconcileFlags {
  readonly adopt?: readonly string[];
  readonly resubmit?: readonly string[];
  readonly yes?: boolean;
  readonly out?: string;
  readonly apiUrl?: string;
  readonly json?: boolean;
}

/** Rows of one look-up: they share the reading of the API's list. */
const ROWS_A_LOOK = 500;

/** What the parts of the command share. */
interface Desk {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  readonly open: OpenApi;
  readonly world: WorkerWorld;
  readonly flags: ReconcileFlags;
  readonly context: RunContext;
  /** Absolute. */
  readonly out: string;
}

/**
 * `voxbatch reconcile [BATCH]`: settles rows whose answer was lost, by what can be found or by a person's word, lists the jobs
 * that no row has, and works on the batch if a row is open again. Only `--resubmit` pays.
 */
export async function reconcile(
  name: string | undefined,
  flags: ReconcileFlags,
  context: RunContext,
): Promise<ExitName> {
  return lookAtLedger(async (ledger, settings) => {
    const batch = await chooseBatch(ledger, name);
    refuseLoading(batch);
    const adoptions = await readAdoptions(ledger, batch, flags.adopt ?? []);
    const again = await rowsToResubmit(ledger, batch, flags.resubmit ?? []);
    return withApi(settings, flags, async (openApi) => {
      const open = await openApi();
      requireSameRealm(batch, open);
      const out = resolve(flags.out ?? `out/${batch.name}`);
      const desk = { settings, ledger, batch, open, world: await worldOf(settings, ledger, open), flags, context, out };
      return settleAll(desk, adoptions, again);
    });
  });
}

async function settleAll(
  desk: Desk,
  adoptions: ReadonlyMap<number, string>,
  again: readonly number[],
): Promise<ExitName> {
  const { settings, ledger, batch, flags, context, world } = desk;
  const rows: ReconciledRow[] = [];
  const tell = (row: ReconciledRow): void => {
    rows.push(row);
    // A refusal is said once: where nothing else was done it is the error.
    if (flags.json !== true && row.is !== 'refused') context.output.data(reconciledLine(row));
  };
  await adoptAll(desk, adoptions, tell);
  const isForAll = adoptions.size === 0 && again.length === 0;
  await lookUp(desk, isForAll ? await unknownRows(ledger, batch.name) : again, tell);
  if (rows.length > 0 && rows.every(({ is }) => is === 'refused')) {
    throw new ExitError('usage', `${rows.map(reconciledLine).join('\n')}\nNothing was changed, nothing was spent.`);
  }
  if (rows.length === 0 && flags.json !== true) context.output.data(`Batch "${batch.name}" has no unknown row.`);
  const orphans = await findOrphans(world, batch, context);
  if (flags.json !== true) for (const line of orphanLines(orphans, batch.name)) context.output.data(line);
  const refused = rows.filter(({ is }) => is === 'refused');
  if (flags.json !== true) for (const row of refused) context.output.data(reconciledLine(row));
  if (flags.json !== true) for (const line of stillUnknown(rows, again, batch)) context.output.data(line);
  const settled = new Set(rows.filter(({ is }) => is === 'found' || is === 'adopted').map(({ row }) => row));
  const exit = await goOn(
    desk,
    again.filter((row) => !settled.has(row)),
    settled.size > 0,
  );
  if (flags.json === true) {
    const { counts, money } = await viewBatch(ledger, settings, batch.name);
    const end = { batch: batch.name, exit, outcomes: counts.outcomes, credits: money, out: desk.out };
    context.output.data(JSON.stringify({ ...end, ...reconciledJson(rows, orphans) }));
  }
  return exit;
}

/** What is left to a person, for rows of which no trace was found. */
function stillUnknown(rows: readonly ReconciledRow[], again: readonly number[], batch: BatchRecord): readonly string[] {
  const left = rows.filter(({ is, row }) => (is === 'still-unknown' || is === 'unreadable') && !again.includes(row));
  return left.length === 0 ? [] : [wordSteps({ count: left.length, first: left }, shellWord(batch.name))];
}

/** Pays for the rows that are to be sent again, works on what is open, writes the files. */
async function goOn(desk: Desk, again: readonly number[], isChanged: boolean): Promise<ExitName> {
  const { settings, ledger, batch, open, flags, context, out } = desk;
  const { output } = context;
  const work = {
    settings,
    ledger,
    batch,
    out,
    json: false,
    detach: false,
    yes: flags.yes ?? false,
    canAsk: output.isInteractive,
    output,
    witness: context.witness,
  };
  if (again.length > 0) {
    const rules = { step: null, resubmit: true, replace: false, asksForOverdue: false };
    const draft = new RedriveDraft(batch.settings, rules, await budgetLeft(ledger, batch));
    for await (const scanned of selectRows(ledger, batch.name, { rows: again })) draft.add(scanned);
    const command = `voxbatch reconcile ${shellWord(batch.name)}`;
    const confirmAbove = settings.config.confirmAbove ?? null;
    return redriveRows({ ...work, draft, command, confirmAbove, openApi: () => Promise.resolve(open) });
  }
  if (!isChanged) return exitOfView(await viewBatch(ledger, settings, batch.name));
  await requireWritableOut(out);
  return workOn(work, open);
}

async function adoptAll(
  { world, batch }: Desk,
  adoptions: ReadonlyMap<number, string>,
  tell: (row: ReconciledRow) => void,
): Promise<void> {
  for (const [row, jobId] of adoptions) {
    const facts = { row, id: await idOf(world, batch.name, row), jobId };
    try {
      const reply = await adoptJob(world, batch.name, row, jobId);
      tell({ ...facts, ...reply });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell({ ...facts, is: 'refused', why: `the job could not be read: ${error.failure.message}` });
    }
  }
}

async function lookUp(
  { world, ledger, batch }: Desk,
  rows: readonly number[],
  tell: (row: ReconciledRow) => void,
): Promise<void> {
  for (let at = 0; at < rows.length; at += ROWS_A_LOOK) {
    const some = rows.slice(at, at + ROWS_A_LOOK);
    const settled = await settleUnknown(world, batch.name, some);
    for (const [place, row] of some.entries()) {
      const became = settled[place];
      const found = await ledger.readRow(batch.name, row);
      if (became === undefined || found === undefined) continue;
      const last = found.charges.findLast((charge) => charge.take === found.row.take);
      const facts = { row, id: found.row.id, jobId: last?.jobId ?? null };
      if (became.is === 'unreadable') tell({ ...facts, is: 'unreadable', why: became.why });
      else if (became.is !== 'still-unknown') tell({ ...facts, is: became.is });
      else if (found.row.outcome === null) tell({ ...facts, is: 'moved-on' });
      else tell({ ...facts, is: 'still-unknown', hasList: hasList(found) });
    }
  }
}

/** Rows of which it is not known whether they were charged, whatever that was called. */
async function unknownRows(ledger: Ledger, batch: string): Promise<readonly number[]> {
  const rows: number[] = [];
  for (const choice of [{ outcomes: ['unknown'] }, { outcomes: ['failed'], classes: ['OutcomeUnknown'] }] as const) {
    for await (const { row } of selectRows(ledger, batch, choice)) rows.push(row.row);
  }
  return rows.sort((a, b) => a - b);
}

async function findOrphans(
  world: WorkerWorld,
  batch: BatchRecord,
  { output }: RunContext,
): Promise<readonly Orphan[] | null> {
  try {
    return await listOrphans(world, batch.name);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    output.say(`Jobs that no row has could not be listed: ${error.failure.message}`);
    return null;
  }
}

/** `ROW=JOB`: the row is an id or a number. Ids may have an equals sign, job ids have none. */
async function readAdoptions(
  ledger: Ledger,
  batch: BatchRecord,
  texts: readonly string[],
): Promise<ReadonlyMap<number, string>> {
  const adoptions = new Map<number, string>();
  for (const text of texts) {
    const at = text.lastIndexOf('=');
    const [word, jobId] = [text.slice(0, Math.max(at, 0)).trim(), text.slice(at + 1).trim()];
    if (word === '' || jobId === '') throw usage(`--adopt ${text}: expected ROW=JOB, as in --adopt r7=job-1f3a.`);
    const row = await requireRow(ledger, batch, word);
    if (adoptions.has(row)) throw usage(`--adopt names row ${word} twice: a row has one job.`);
    if ([...adoptions.values()].includes(jobId)) throw usage(`--adopt names job ${jobId} twice: a job is of one row.`);
    adoptions.set(row, jobId);
  }
  return adoptions;
}

async function rowsToResubmit(
  ledger: Ledger,
  batch: BatchRecord,
  texts: readonly string[],
): Promise<readonly number[]> {
  const unknown = new Set(texts.length === 0 ? [] : await unknownRows(ledger, batch.name));
  const rows = new Set<number>();
  for (const word of texts.flatMap((text) => text.split(',')).filter((each) => each.trim() !== '')) {
    const row = await requireRow(ledger, batch, word.trim());
    if (!unknown.has(row)) {
      throw usage(
        `--resubmit ${word}: the row is not unknown. Other rows are run again by: voxbatch redrive ${shellWord(batch.name)} --rows ${shellWord(word)}.`,
      );
    }
    rows.add(row);
  }
  return [...rows].sort((a, b) => a - b);
}

async function requireRow(ledger: Ledger, batch: BatchRecord, word: string): Promise<number> {
  const row = await findRow(ledger, batch, word);
  if (row !== undefined) return row;
  throw usage(
    `Batch "${batch.name}" has no row "${word}". Expected an id, or a number from 1 to ${String(batch.rows)}.`,
  );
}

async function idOf({ ledger }: WorkerWorld, batch: string, row: number): Promise<string> {
  return (await ledger.readRow(batch, row))?.row.id ?? '';
}

/** This process looks as a worker does, but sends nothing and starts no workflow. */
async function worldOf(settings: Settings, ledger: Ledger, { api, profile }: OpenApi): Promise<WorkerWorld> {
  const store = await beforeWork(() => openFolderStore(settings.store));
  const realm = { apiUrl: api.baseUrl, account: profile.userId, ledgerId: ledger.id };
  const onFault = (fault: Error): void => {
    throw fault;
  };
  return { ledger, store, api, realm, owner: newIdentity(), log: openLog(settings.home), onFault };
}

function usage(message: string): ExitError {
  return new ExitError('usage', `${message} Nothing was changed, nothing was spent.`);
}
