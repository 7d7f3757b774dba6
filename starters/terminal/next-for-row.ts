import { NO_LINK } from '../../contract/result-member.ts';
import { isRequestRemoved } from '../../batches/clean/clean-batch.ts';
import { partWord } from '../../contract/row-parts.ts';
import { outcomeFile } from '../../results/batch-files.ts';
import { linkOf, stepsIn, type Step, type StepChoice, type TtsMode } from '../../contract/row-kinds.ts';
import { isTooLongWhole } from '../../contract/text-limits.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { defaultOut } from '../../batches/batch-name.ts';
import type { BatchRecord, Money } from '../../ledger/record-types.ts';
import type { RowHistory } from '../../batches/look/explain.ts';
import type { RowWithCharges } from '../../results/result-line.ts';
import { budgetFor, budgetLeft } from '../../policy/money/budget.ts';
import { resultOfTake, unfetchedOfTake } from '../../policy/redrive/earlier-take.ts';
import { jobToWaitFor, paysOnlyCheck } from '../../policy/redrive/redrive.ts';
import { pauseMessage } from './pause-words.ts';
import { hasList, lacksOnlyCheck, madeBy, makerAwaited } from '../../batches/look/leftovers.ts';
import { cutAnew, editInParts } from './edit-in-parts.ts';
import { nextForParts } from './next-for-parts.ts';
import { goOnCommand } from './go-on-command.ts';
import { rowWord, takeWord } from './row-words.ts';
import { ALSO_OTHERS, uncheckedSteps, wordSteps } from './next-steps.ts';
import { awaitedWords } from './voice-words.ts';

/** A row, with what its next step depends on. */
export interface RowToMend extends Pick<RowWithCharges, 'charges'> {
  readonly batch: BatchRecord;
  readonly row: RowHistory['row'];
  /** Its takes after the first. */
  readonly takes: RowHistory['takes'];
  /** What it is spoken in. */
  readonly parts: RowHistory['parts'];
  /** Earlier takes of it, and of its parts, with a request that may have been charged. */
  readonly unresolvedTakes: RowHistory['unresolvedTakes'];
  /** Its stored file is lost. */
  readonly lost: RowHistory['lost'];
  /** What the budget that left it out needs for it, in credits; null: nobody knows. */
  readonly needed: RowHistory['needed'];
  /** Money of the batch. */
  readonly money: Money;
  /** Rows of the batch that failed. */
  readonly failedRows: number;
  /** The batch's usual out folder has its current files. */
  readonly isWritten: boolean;
  /** True if it is certain that nobody works on the batch. */
  readonly isDeserted: boolean;
}

/**
 * What a person can do about a row, with the command: about its current state, and about earlier takes that may have
 * been charged.
 */
export function nextForRow(history: RowToMend): string {
  const { batch, unresolvedTakes } = history;
  const settle = unresolvedTakes.map((one) => takeWord(one, one.take)).join(' ');
  if (settle === '') return nextOf(history);
  return (
    `${nextOf(history)}. The request of ${settle} may have been charged, too. If your account shows no job for it: ` +
    `voxbatch reconcile ${shellWord(batch.name)} --not-charged ${settle}`
  );
}

/** What to do about its latest take. */
function nextOf({
  batch,
  row,
  charges,
  takes,
  parts,
  lost,
  needed,
  money,
  failedRows,
  isWritten,
  isDeserted,
}: RowToMend): string {
  if (isRequestRemoved(batch, row)) return 'Nothing. What it asked for was removed, so it cannot be run again.';
  const name = shellWord(batch.name);
  const word = shellWord(rowWord(row));
  const redrive = `voxbatch redrive ${name} --rows ${word}`;
  const file = shellWord(`${defaultOut(batch.name)}/${outcomeFile('failed') ?? ''}`);
  if (row.parts !== null && ['unknown', 'overdue', 'failed'].includes(row.outcome ?? ''))
    return nextForParts(row, parts, batch);
  const back = lost === null ? undefined : backAgain(row, lost, redrive);
  if (back !== undefined) return back;
  switch (row.outcome) {
    case 'succeeded':
    case 'cached':
      return `Nothing. ${isWritten ? '' : `Write its files with: voxbatch results ${name}. `}To replace the result, at a new price: ${redrive}${goBackWords({ row, charges, takes }, `voxbatch redrive ${name} --accept ${word}`)}`;
    case 'failed':
      return afterFailure({ row, charges }, { batch, redrive, file, also: failedRows > 1 ? ALSO_OTHERS : '' });
    case 'unknown':
      return afterLoss({ row, charges }, name, batch.settings.tts);
    case 'overdue':
      return `The job was paid for and is still at the API. Wait for it again, free: ${redrive}. To pay for another one: ${redrive} --resubmit`;
    case 'skipped':
      if (row.failure?.class === 'NotChosen')
        return `It was not chosen so far. Send it: ${redrive}. To send all such rows: ${goOnCommand({ ...batch, subset: null })}`;
      if (row.failure?.class === 'NotCached') return `Pay for it: voxbatch tune ${name} --cache on, then: ${redrive}`;
      return afterBudget({ needed, batch, money }, redrive);
    case 'unfit':
      return `Its result is kept${row.partOf === null ? '' : ', in the file that is named above'}. Accept it as it is, free: voxbatch redrive ${name} --accept ${word}. To pay for ${paysOnlyCheck(row, charges) ? 'its verification alone' : 'another one'}: ${redrive}`;
    case 'cancelled':
      return `Send it again, at its price: ${redrive}`;
    case null:
      if (batch.control === 'paused') return pauseMessage(batch, { isDeserted });
      if (isDeserted) return `The batch has no worker. Continue with: ${goOnCommand(batch)}`;
      if (row.state === 'blocked' && row.parts !== null)
        return `It waits for its ${partWord(row.parts)}, and is joined then. It goes on by itself.`;
      if (row.state === 'blocked')
        return `It waits for ${awaitedWords(row)}. It goes on by itself; nothing is sent before.`;
      return `It is in progress. If the batch has no worker, continue with: ${goOnCommand(batch)}`;
  }
}

/** The last other take whose result the row may have instead. Empty: there is none. */
function goBackWords({ row, charges, takes }: Pick<RowToMend, 'row' | 'charges' | 'takes'>, accept: string): string {
  const edited = takes.findLast(({ before }) => before.spec !== undefined)?.take ?? 1;
  const others = [...new Set(charges.map(({ take }) => take))].filter((take) => {
    const made = resultOfTake(row.spec, charges, take) ?? unfetchedOfTake(row, charges, take);
    const isOther = made !== undefined && made.file?.key !== row.file?.key;
    return take >= edited && isOther && made.file?.removedAt === undefined;
  });
  const last = row.parts === null ? Math.max(...others) : 0;
  return last < 1 ? '' : `. To have the result of take ${String(last)} instead, free: ${accept}/${String(last)}`;
}

/** Its request did not fit the budget; others may have left room since. */
function afterBudget({ needed, batch, money }: Pick<RowToMend, 'needed' | 'batch' | 'money'>, redrive: string): string {
  const left = budgetLeft(money, batch.settings.budget);
  if (left === null || (needed !== null && left >= needed)) return `The budget is sufficient now: ${redrive}`;
  const enough = needed === null ? 'CREDITS' : String(budgetFor(money, needed));
  return `Raise the budget (voxbatch tune ${shellWord(batch.name)} --budget ${enough}), then: ${redrive}`;
}

/** What brings the lost stored file of a row back. Undefined: nothing does, and nobody asked for another of what did not pass. */
function backAgain(
  { outcome }: Pick<RowHistory['row'], 'outcome'>,
  { is, isFree }: NonNullable<RowHistory['lost']>,
  redrive: string,
): string | undefined {
  if (isFree)
    return `Its stored file is ${is}. Get it again, free: ${redrive} --damaged${outcome === 'unfit' ? '. Then accept it, or pay for another one' : ''}`;
  if (outcome === 'unfit') return undefined;
  return `Its stored file is ${is}, and no job can be read for it. If you have a backup of the store, restore the file. Otherwise make it again, at its price: ${redrive} --damaged`;
}

/** Its answer was lost: the job may exist, and may be listed. */
function afterLoss(scanned: RowWithCharges, name: string, tts: TtsMode): string {
  const look = hasList(scanned, tts)
    ? `Find out what became of the request, free: voxbatch reconcile ${name}. `
    : 'The API has no list to look the request up in. ';
  const { row } = scanned;
  if (lacksOnlyCheck(scanned)) return `It has ${uncheckedSteps({ count: 1, first: [row] }, name)}`;
  return `${look}voxbatch does not send it again on its own, because that could be charged twice. ${wordSteps({ count: 1, first: [{ ...row, makes: madeBy(scanned, tts) }] }, name)}`;
}

interface Commands {
  readonly batch: BatchRecord;
  readonly redrive: string;
  /** The file of failed rows. */
  readonly file: string;
  /** Added to a command that sends what is in that file. */
  readonly also: string;
}

function afterFailure(scanned: RowWithCharges, { batch, redrive, file, also }: Commands): string {
  const { failure, spec, partOf } = scanned.row;
  const name = shellWord(batch.name);
  switch (failure?.class) {
    case 'ResultGone': {
      if (jobToWaitFor(scanned.row, scanned.charges) === undefined)
        return `Its result was paid for, and no job can be read for it again. Make it again, at its price: ${redrive}`;
      const before = linkedSteps(spec).map((step) => ` (if it is its ${step} that is gone: --step ${step})`);
      const named =
        failure.cause === NO_LINK
          ? 'If one of the members in its answer is the link to the result, set resultMember in voxbatch.config.json to its name, and restart what works in the background (up, worker). '
          : '';
      return `The job was paid for. ${named}Fetch its result again, free: ${redrive}. To pay for another one: ${redrive} --resubmit${before.join('')}`;
    }
    case 'OutcomeUnknown':
      return afterLoss(scanned, name, batch.settings.tts);
    case 'BadRequest':
      if (isTooLongWhole(scanned.row)) return `The refused request was not charged. ${cutAnew(batch, 'it')}`;
      if (partOf !== null)
        return `The refused request was not charged. ${editInParts(batch, 'its text')}. If the text was not the cause, and that is mended: ${redrive}`;
      return `The refused request was not charged. Fix its cells in ${file}, then: voxbatch run ${file}${also}`;
    case 'NoVoice': {
      const voiceRow = makerAwaited(scanned);
      if (voiceRow === undefined) return `Send it now, at its price: ${redrive}`;
      const maker = `voxbatch explain ${String(voiceRow)} --batch ${name}`;
      return `Row ${String(voiceRow)} makes its voice: ${maker}. Once that row has succeeded, this one goes on by itself.`;
    }
    default:
      if (partOf !== null) return `Send it again, at its price: ${redrive}`;
      return `Send it again, at its price: ${redrive}. To change it first: edit ${file}, then: voxbatch redrive ${name} --from ${file}${also}`;
  }
}

/** The steps whose results later steps use. */
function linkedSteps(row: StepChoice): readonly Step[] {
  return [...new Set(stepsIn(row).flatMap((step) => linkOf(row.kind, step)?.of ?? []))];
}
