import type { FoundRows } from '../../batches/redrive/selection.ts';
import type { RedriveDraft, RedriveRefusal } from '../../batches/redrive/draft.ts';
import type { OpenApi } from '../../client/open-api.ts';
import { openForRedrive, redriveBatch, redriveFacts, type Redriven } from '../../client/redrive/redrive-batch.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { Tuning } from '../../contract/tunables.ts';
import type { BatchRecord } from '../../ledger/record-types.ts';
import { payerOf } from '../../client/person.ts';
import { approve } from '../../client/run/approval.ts';
import { spendError } from '../run/spend-error.ts';
import type { Invocation } from '../invocation.ts';
import { ExitError } from '../exit-error.ts';
import { finishRun } from '../run/finish-run.ts';
import { rowsInWords } from '../terminal/row-words.ts';
import { finishClosed } from '../run/tell-last.ts';
import { workOnBatch } from '../run/work-on-batch.ts';
import { draftLines, leftBudgetRefusal, refusalLines, unaskedText } from './redrive-words.ts';
import { notOpenedText, openEditsText } from './unended-words.ts';

/** What `redrive`, `run failed.csv` and `reconcile` share once the rows are known. */
export interface RedriveRequest {
  readonly batch: BatchRecord;
  /** Changes of the batch's tunables that come with the command. */
  readonly tuning?: Tuning;
  /** What is known about the rows. */
  readonly draft: RedriveDraft;
  /** The same rows, to be read once more. */
  readonly rows: FoundRows;
  /** The command as typed, for advice. */
  readonly command: string;
  /** sha256 of the file that the rows come from, as it was read; null: there is no file. */
  readonly fileSha256: string | null;
  /** Absolute. */
  readonly out: string;
  /** A bill above this is confirmed first, in credits; null: none is. */
  readonly confirmAbove: number | null;
}

/**
 * Says what will be done and what it costs, asks if needed, opens the rows in the ledger, and works on the batch as
 * `run` does. If anything speaks against it, nothing is changed: throws {@link ExitError}.
 */
export async function redriveRows(request: RedriveRequest, invocation: Invocation): Promise<ExitName> {
  const { batch, draft, out } = request;
  const { session, output } = invocation;
  if (draft.refusal === undefined) {
    for (const line of draftLines(draft, batch.name)) output.say(line);
    requireWord(request, invocation);
  }
  const redriven = await redriveBatch({
    ...request,
    ledger: await session.ledger(),
    openApi: () => openForRedrive(session),
    webhook: invocation.webhook,
    approve: async (open) => {
      await checkMoney(request, invocation, open);
      return true;
    },
  });
  sayRedriven(redriven, request, invocation);
  return redriven.type === 'open'
    ? workOn(batch, out, invocation)
    : finishRun({ batch: batch.name, out, why: 'closed' }, invocation);
}

/** Works on a batch until it is closed, and writes its files. */
export async function workOn(batch: BatchRecord, out: string, invocation: Invocation): Promise<ExitName> {
  const record = (await (await invocation.session.ledger()).findBatch(batch.name)) ?? batch;
  const place = { batch: batch.name, out };
  return record.state === 'closed'
    ? finishClosed(batch.name, invocation, () => finishRun({ ...place, why: 'closed' }, invocation))
    : workOnBatch({ record, isNew: false, out }, invocation, (why) => finishRun({ ...place, why }, invocation));
}

/** Paying again for a row that has a good result takes a person's word: an answer on a terminal, `--yes` elsewhere. */
function requireWord({ draft }: RedriveRequest, { person }: Invocation): void {
  if (draft.replaced === 0 || person.yes || person.canAsk) return;
  throw new ExitError('refused', unaskedText(draft));
}

async function checkMoney(request: RedriveRequest, { session, person }: Invocation, open: OpenApi): Promise<void> {
  const { batch, draft, confirmAbove } = request;
  const ledger = await session.ledger();
  const facts = {
    ...(await redriveFacts({ ...request, ledger }, payerOf(person, open, confirmAbove))),
    isBudgetLeft: true,
  };
  const isDoubtful = draft.replaced + draft.resubmitted > 0;
  const refused = draft.paying === 0 && !isDoubtful ? undefined : await approve(facts, person, isDoubtful);
  if (refused?.type === 'declined' && isDoubtful)
    throw new ExitError('refused', 'Not confirmed. Nothing was changed. Nothing was spent.');
  if (refused !== undefined)
    throw spendError(refused, leftBudgetRefusal(batch, await ledger.money(batch.name), request.tuning));
}

/** The error of a redrive whose draft may not be carried out. */
export function refusedRedrive(
  refusal: RedriveRefusal,
  { batch, draft, command, fileSha256 }: RedriveRequest,
): ExitError {
  const words =
    refusal === 'open-edits'
      ? openEditsText(draft, batch.name)
      : refusalLines(draft, batch.name, { command, isFile: fileSha256 !== null }).join('\n');
  return new ExitError('usage', words);
}

/** Says how many rows were opened. Throws {@link ExitError} `usage` if none could be, or not all. */
function sayRedriven(redriven: Redriven, request: RedriveRequest, { output }: Invocation): void {
  const { batch, draft } = request;
  switch (redriven.type) {
    case 'open-edits':
    case 'refused-rows':
      throw refusedRedrive(redriven.type, request);
    case 'declined':
      throw new Error('What is not approved ends with its own words.');
    case 'not-opened':
      throw new ExitError('usage', notOpenedText(batch, redriven));
    case 'open':
    case 'finished': {
      const { opened, movedOn } = redriven;
      if (draft.count === 0) {
        if (redriven.type === 'open') output.say(`Batch "${batch.name}" is not finished; it continues.`);
        return;
      }
      if (movedOn > 0) {
        output.say(
          `${rowsInWords(movedOn)} changed meanwhile: another command took them, or their answer arrived. Nothing is paid for them here.`,
        );
      }
      output.say(`Batch "${batch.name}": ${rowsInWords(opened)} redriven.`);
    }
  }
}
