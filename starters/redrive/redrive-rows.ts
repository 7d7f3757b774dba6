import type { FaultPointHook } from '../../activities/fault-points.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { FoundRows, RedriveDraft } from '../../batches/redrive-draft.ts';
import { budgetLeftFor, openRows } from '../../batches/redrive.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { BatchRecord, Money } from '../../ledger/record-types.ts';
import { budgetFor } from '../../policy/budget.ts';
import { checkSpend, type RefusalWords } from '../check-spend.ts';
import { ExitError } from '../exit-error.ts';
import { finishRun } from '../finish-run.ts';
import { allowReplacing } from '../../results/edited-tables.ts';
import { goOnCommand, shellWord } from '../go-on-command.ts';
import { requireSameRealm, type OpenApi } from '../../client/open-api.ts';
import { withStore } from '../../client/claim-store.ts';
import { claimOut, requireOwnOut } from '../../client/out-folder.ts';
import type { Settings } from '../../client/settings.ts';
import { askYesNo } from '../terminal/ask.ts';
import type { Output } from '../terminal/output.ts';
import { number } from '../terminal/progress.ts';
import { rowsInWords } from '../row-words.ts';
import { draftLines, refusalLines, REPLACING } from './redrive-words.ts';
import { namedRowLines, refusalText } from '../terminal/spend-words.ts';
import { workOnBatch, type WorkEnd } from '../work-on-batch.ts';

/** What `redrive`, `run failed.csv` and `reconcile` share once it is known which rows are wanted. */
export interface RedriveRequest {
  readonly settings: Settings;
  readonly ledger: Ledger;
  readonly batch: BatchRecord;
  /** Changes of the batch's tunables that come with the command. */
  readonly tuning?: Tuning;
  /** What was found out about the rows. */
  readonly draft: RedriveDraft;
  /** The same rows, to be read once more. */
  readonly rows: FoundRows;
  /** The command as it was typed, for advice. */
  readonly command: string;
  /** sha256 of the file whose rows these are, as it was read; null: they are of none. */
  readonly fileSha256: string | null;
  /** Absolute. */
  readonly out: string;
  readonly json: boolean;
  readonly detach: boolean;
  readonly yes: boolean;
  /** A person can be asked; false where the rows came through stdin. */
  readonly canAsk: boolean;
  /** A bill above this is confirmed first, in credits; null: none is. */
  readonly confirmAbove: number | null;
  readonly output: Output;
  readonly atFaultPoint: FaultPointHook | undefined;
  /** Opens the API, or hands over what is open; closing it is the caller's. */
  readonly openApi: () => Promise<OpenApi>;
}

/**
 * Says what will be done and what it costs, asks where that is due, opens the rows in the ledger, and works on the batch as
 * `run` does. Where anything speaks against it, nothing is changed: throws {@link ExitError}.
 */
export async function redriveRows(request: RedriveRequest): Promise<ExitName> {
  const { ledger, batch, draft, output } = request;
  if (draft.refused.length > 0) {
    const [first = '', ...lines] = refusalLines(draft, batch.name, {
      command: request.command,
      isFile: request.fileSha256 !== null,
    });
    throw new ExitError('usage', [first, ...lines].join('\n'));
  }
  for (const line of draftLines(draft, batch.name)) output.say(line);
  const isNothing = draft.count === 0;
  if (isNothing && batch.state === 'closed') {
    await requireOwnOut(request.out, batch);
    await recordTaken(request, 0);
    return writeFiles(request);
  }
  await claimOut(request.out, batch);
  if (draft.isSettling && batch.state === 'closed') {
    await openAndTell(request);
    return writeFiles(request);
  }
  const open = await request.openApi();
  requireSameRealm(batch, open);
  // The rows may be open already, by the same command that was killed: it goes on with them.
  if (isNothing) {
    await recordTaken(request, 0);
    output.say(`Batch "${batch.name}" is not finished; it continues.`);
    return workOn(request, open);
  }
  await checkMoney(request, open);
  if (request.tuning !== undefined && Object.keys(request.tuning).length > 0) {
    await ledger.tune(batch.name, request.tuning);
  }
  await openAndTell(request);
  return workOn(request, open);
}

/** Works on a batch until it is closed, and writes its files. */
export async function workOn(
  request: Omit<RedriveRequest, 'draft' | 'rows' | 'command' | 'fileSha256' | 'confirmAbove' | 'openApi'>,
  open: OpenApi,
): Promise<ExitName> {
  const { ledger, batch, settings } = request;
  return withStore(settings, ledger, async (store) => {
    const record = (await ledger.findBatch(batch.name)) ?? batch;
    const work = { ...request, store, batch: batch.name };
    const finish = (why: WorkEnd): Promise<ExitName> => finishRun({ ...work, why });
    return record.state === 'closed' ? finish('closed') : workOnBatch({ ...work, open, record, isNew: false }, finish);
  });
}

/** The files of a finished batch once more; the exit code is that of the batch. */
async function writeFiles(request: RedriveRequest): Promise<ExitName> {
  const { ledger, batch, settings } = request;
  return withStore(settings, ledger, (store) =>
    finishRun({ ...request, ledger, store, batch: batch.name, why: 'closed' }),
  );
}

async function checkMoney(request: RedriveRequest, { profile }: OpenApi): Promise<void> {
  const { ledger, batch, draft, output, yes, confirmAbove, tuning } = request;
  const left = await budgetLeftFor(ledger, batch, tuning);
  const { bill } = draft;
  if (draft.paying > 0) {
    const person = { balance: profile.quotaRemaining ?? null, yes, canAsk: request.canAsk };
    const { paying: rows, isEstimate } = draft;
    const facts = { rows, bill, isEstimate, budget: left, isBudgetLeft: true, confirmAbove, ...person };
    await checkSpend(facts, output, { refusal: refusalFor(batch, await ledger.money(batch.name)) });
  }
  const doubts = [
    ...(draft.replaced > 0 ? [`replace the results of ${rowsInWords(draft.replaced)} (${REPLACING})`] : []),
    ...(draft.resubmitted > 0 ? [`pay for ${rowsInWords(draft.resubmitted)} that may already have been charged`] : []),
  ];
  if (doubts.length === 0 || yes || !request.canAsk) return;
  const question = doubts.join(' and ');
  if (await askYesNo(`${question.charAt(0).toUpperCase()}${question.slice(1)}?`)) return;
  throw new ExitError('refused', 'Not confirmed. Nothing was changed, nothing was spent.');
}

/** A budget that is too small for more rows of a batch that is there is that of the batch, so it is raised by `tune`. */
export function refusalFor(batch: Pick<BatchRecord, 'name'>, money: Money): RefusalWords {
  const tune = `voxbatch tune ${shellWord(batch.name)} --budget`;
  return (why, facts) => {
    const { unpriced, unpricedRows, cheapest, quoted } = facts.bill;
    const left = facts.budget ?? 0;
    switch (why) {
      case 'unpriced':
        return [
          `A budget needs a price for every row; ${rowsInWords(unpriced)} have none:`,
          ...namedRowLines(unpricedRows),
          'Nothing was changed, nothing was spent. Give them one, or drop the budget:',
          '  a duration in seconds in an edited file (redrive --from)',
          `  no budget: ${tune} none`,
        ].join('\n');
      case 'small-budget':
        return (
          `The budget of the batch has ${left === 1 ? '1 credit' : `${number(left)} credits`} left, too little for any row: the cheapest costs ${number(cheapest ?? 0)}, all cost ${number(quoted)}. ` +
          `Nothing was changed, nothing was spent. Raise it, then run the same command again: ${tune} ${String(budgetFor(money, quoted))}`
        );
      default:
        return refusalText(why, facts);
    }
  };
}

/** A file whose edits are all in the ledger now may be replaced by the files of the batch. `movedOn`: rows that were not taken from it. */
async function recordTaken({ draft, fileSha256, out }: RedriveRequest, movedOn: number): Promise<void> {
  if (fileSha256 !== null && movedOn + draft.untaken + draft.leftEdited === 0) await allowReplacing(out, [fileSha256]);
}

/** Opens the rows, and says how many. Throws {@link ExitError} `usage` where the ledger refuses them. */
async function openAndTell(request: RedriveRequest): Promise<void> {
  const { ledger, batch, draft, rows, output } = request;
  const answer = await openRows(ledger, batch.name, draft, rows);
  const { opened } = answer;
  if (answer.type === 'refused') {
    const before =
      opened === 0 ? '' : ` ${rowsInWords(opened)} were opened before that; continue with: ${goOnCommand(batch)}`;
    throw new ExitError('usage', `${answer.why} Nothing was spent.${before}`);
  }
  if (answer.movedOn > 0) {
    output.say(
      `${rowsInWords(answer.movedOn)} changed meanwhile: another command took them, or their answer arrived. Nothing is paid for them here.`,
    );
  }
  await recordTaken(request, answer.movedOn);
  output.say(`Batch "${batch.name}": ${rowsInWords(opened)} redriven.`);
}
