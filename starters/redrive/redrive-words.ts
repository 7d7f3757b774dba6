import type { Tuning } from '../../contract/tunables.ts';
import { inCredits } from '../terminal/money.ts';
import { STEPS } from '../../contract/row-kinds.ts';
import { partWord } from '../../contract/row-parts.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { RedriveDraft } from '../../batches/redrive/draft.ts';
import type { RefusedRow } from '../../batches/redrive/tally.ts';
import { namedRow, rowsInWords, rowsWord, rowWord, unitsInWords, unnamedRows } from '../terminal/row-words.ts';
import type { BatchRecord, Money } from '../../ledger/record-types.ts';
import { budgetFor } from '../../policy/money/budget.ts';
import type { RefusalWords } from '../run/spend-error.ts';
import { namedRowLines, refusalText } from '../terminal/spend-words.ts';
import { number } from '../terminal/words.ts';
import { returnWords } from './return-words.ts';

/** Maximum rows that are named; the others are counted. */
const NAMED = 20;

/** What a redrive will do and cost, said before it does it. */
export function draftLines(draft: RedriveDraft, batch: string): readonly string[] {
  const {
    count,
    parts,
    pays,
    waits,
    joins,
    rewritten,
    accepts,
    returns,
    refetched,
    untaken,
    left,
    replaced,
    notChosen,
    resubmitted,
    paying,
    isEstimate,
    dependents,
  } = draft;
  const { quoted, unpriced } = draft.bill;
  const lines = [
    ...STEPS.filter((step) => pays.has(step)).map(
      (step) => `${rowsInWords(pays.get(step) ?? 0)} to send, from ${step} on`,
    ),
    ...(parts > 0 ? [`of rows in parts: ${partWord(parts)}, and no other part of these rows`] : []),
    ...(dependents > 0 ? [`${rowsInWords(dependents)} that wait for these voices go on by themselves`] : []),
    ...(waits > joins ? [`${rowsInWords(waits - joins)} whose job was paid for: wait for the result again, free`] : []),
    ...(joins > 0 ? [`${rowsInWords(joins)} whose parts are joined again, free`] : []),
    ...(rewritten > 0
      ? [`${rowsInWords(rewritten)} whose lost text is written again from what is on record, free`]
      : []),
    ...(accepts > returns ? [`${rowsInWords(accepts - returns)} whose result is accepted as it is, free`] : []),
    ...(returns > 0 ? [`${rowsInWords(returns)} back to the result of an earlier take, free`] : []),
    ...(refetched > 0
      ? [`${ofThese(refetched)} to fetch that file first: its job is read, and the row keeps what it has until then`]
      : []),
    ...(untaken > 0 ? [`${ofThese(untaken)} edits that no step reads; they are ignored`] : []),
    ...(left['has-result'] > 0 ? [`${rowsInWords(left['has-result'])} left out: a result exists`] : []),
    ...(left['no-unfit'] > 0
      ? [`${rowsInWords(left['no-unfit'])} left out: no result to accept that failed a check or lacks its verification`]
      : []),
    ...(left.open > 0 ? [`${rowsInWords(left.open)} left out: not ended yet`] : []),
    ...(replaced > 0 ? [replacedWords(draft)] : []),
    ...(notChosen > 0 ? [`${number(notChosen)} of these were left out before by --limit or --sample`] : []),
    ...(resubmitted > 0 ? [`${number(resubmitted)} of these may be charged twice for one result`] : []),
  ];
  if (count === 0 && lines.length === 0) return [`No row of batch "${batch}" matches. Nothing is sent.`];
  const unknown = unpriced > 0 ? ` and the unknown price of ${rowsInWords(unpriced)}` : '';
  const bill = paying === 0 ? 'nothing' : `${isEstimate ? '~' : ''}${inCredits(quoted)}${unknown}`;
  const title =
    count === 0 ? `Batch "${batch}": nothing to redrive` : `Redrive of batch "${batch}", at a cost of ${bill}`;
  return [title, ...lines.map((line) => `  ${line}`)];
}

/**
 * The question before results are replaced, or rows paid for that may have been charged. Undefined if neither is done.
 */
export function doubtsQuestion({
  replaced,
  lost,
  resubmitted,
}: Pick<RedriveDraft, 'replaced' | 'lost' | 'resubmitted'>): string | undefined {
  const intact = replaced - lost;
  const doubts = [
    ...(intact > 0 ? [`replace the results of ${rowsInWords(intact)} (${REPLACING})`] : []),
    ...(lost > 0
      ? [`pay again for ${rowsInWords(lost)} whose stored ${lost === 1 ? 'file is' : 'files are'} lost`]
      : []),
    ...(resubmitted > 0 ? [`pay for ${rowsInWords(resubmitted)} that may already have been charged`] : []),
  ];
  const question = doubts.join(' and ');
  return question === '' ? undefined : `${question.charAt(0).toUpperCase()}${question.slice(1)}?`;
}

/** Why results are not replaced where nobody can be asked. */
export function unaskedText({ replaced, lost }: Pick<RedriveDraft, 'replaced' | 'lost'>): string {
  const loss = replaced === lost ? '' : replaced === 1 ? ' and lose its result' : ' and lose their results';
  return (
    `Not confirmed: ${rowsInWords(replaced)} would be paid for again${loss}, ` +
    'and there is no terminal to ask on. Nothing was changed. Nothing was spent. To continue, run the same command with --yes.'
  );
}

/** Which rows have a result that is replaced, and which of them because the file is not what was sent last. */
function replacedWords({ replaced, lost, firstReplaced }: RedriveDraft): string {
  const names = firstReplaced.map(
    ({ isEdited, isLost, ...row }) =>
      `${rowWord(row)}${isEdited ? ' (edited)' : ''}${isLost === true ? ' (its stored file is lost)' : ''}`,
  );
  const more = replaced > names.length ? `, and ${number(replaced - names.length)} more` : '';
  if (lost === replaced) return `${ofThese(lost)} been paid for before: ${names.join(', ')}${more}`;
  return `${ofThese(replaced)} a result, which the new one replaces: ${names.join(', ')}${more}; ${REPLACING}`;
}

/** What a person should know before a result is replaced. */
const REPLACING = 'if a new take fails, its row keeps the result that it has';

/** `1 of these has`, `2 of these have`. */
function ofThese(rows: number): string {
  return `${number(rows)} of these ${rows === 1 ? 'has' : 'have'}`;
}

/** Why nothing was done, which rows are at fault, and what can be done instead. */
export function refusalLines(
  {
    refused,
    refusedFor,
    refusedParts,
    count: others,
  }: Pick<RedriveDraft, 'refused' | 'refusedFor' | 'refusedParts' | 'count'>,
  batch: string,
  { command, isFile }: { readonly command: string; readonly isFile: boolean },
): readonly string[] {
  const name = shellWord(batch);
  const has = (why: RefusedRow['why']): boolean => refusedFor.has(why);
  const left = refused.filter(({ leftTake }) => leftTake !== undefined);
  const countOf = (why: RefusedRow['why']): number => refusedFor.get(why) ?? 0;
  const all = [...refusedFor.values()].reduce((sum, rows) => sum + rows, 0);
  const doubtful = refused.filter(({ why }) => why === 'unknown' || why === 'running');
  // Suggest it for these rows only: for others it would pay for what can be had free.
  const resubmit =
    others === 0
      ? `${command} --resubmit`
      : `voxbatch redrive ${name} --rows ${rowsWord(doubtful)} --resubmit${unnamedRows({ count: countOf('unknown') + countOf('running') })}`;
  const choices = [
    ...(has('unknown') ? [`  voxbatch reconcile ${name}    finds out what became of lost requests, free`] : []),
    ...(countOf('running') > left.length
      ? [`  voxbatch redrive ${name} --where outcome=overdue    waits for running jobs, free`]
      : []),
    ...(left.length > 0
      ? [
          `  voxbatch redrive ${name} --accept ${leftWord(left)}    fetches the result of that job, free; its row keeps what it has until then`,
        ]
      : []),
    ...(doubtful.length > 0 ? [`  ${resubmit}    pays for these rows again; they may be charged twice`] : []),
    ...(has('on-the-wire') ? [`  voxbatch watch ${name}, then the same command again`] : []),
    ...(has('no-step') ? ['  the same command for rows of a kind that has the step (--where kind=…)'] : []),
    ...(has('in-parts')
      ? ['  run the edited manifest under another --name, with --split: parts that did not change cost nothing again']
      : []),
    ...(others === 0
      ? []
      : [
          isFile
            ? '  leave these rows out of the file'
            : `  leave these rows out (${has('no-return') ? '--accept' : '--rows, --where'})`,
        ]),
  ];
  return [
    `${unitsInWords({ count: all, parts: refusedParts })} cannot be redriven this way. Nothing was changed. Nothing was spent.`,
    ...refused.slice(0, NAMED).map((one) => `  ${namedRow(one)}: ${REASONS[one.why](one)}`),
    ...(all > NAMED ? [`  and ${number(all - NAMED)} more`] : []),
    ...(choices.length === 0 ? [] : ['Choices:', ...choices]),
  ];
}

/** The takes that rows have left, for `--accept`. */
function leftWord(rows: readonly RefusedRow[]): string {
  const words = rows.slice(0, NAMED).map((one) => `${rowWord(one)}/${String(one.leftTake)}`);
  return `${shellWord(words.join(','))}${unnamedRows({ count: rows.length })}`;
}

const REASONS: Readonly<Record<RefusedRow['why'], (row: RefusedRow) => string>> = {
  unknown: ({ step }) => `the answer to its ${step} request was lost, so it may have been charged`,
  running: ({ step, leftTake }) =>
    leftTake === undefined
      ? `its ${step} job was accepted and may still run`
      : `the result of its ${step} job of take ${String(leftTake)}, which was accepted, has not been fetched`,
  'on-the-wire': ({ step }) => `its ${step} request is on the wire`,
  'no-step': ({ step }) => `its kind has no step ${step}`,
  'in-parts': () => 'it was edited, and is spoken in parts, which are those of its old text',
  'no-return': ({ id, because }) => (because === undefined ? 'it has no such take' : returnWords(id, because)),
};

/**
 * A budget that is too small for more rows of an existing batch is that batch's, so `tune` raises it; but one that comes
 * with the command (in `tuning`) would lower it again, so that one is to be raised.
 */
export function leftBudgetRefusal(
  batch: Pick<BatchRecord, 'name'>,
  money: Money,
  tuning: Pick<Tuning, 'budget'> = {},
): RefusalWords {
  const tune = `voxbatch tune ${shellWord(batch.name)} --budget`;
  const isGiven = tuning.budget !== undefined;
  return (why, facts) => {
    const { unpriced, unpricedRows, cheapest, quoted } = facts.bill;
    const left = facts.budget ?? 0;
    switch (why) {
      case 'unpriced':
        return [
          `A budget needs a price for every row; ${rowsInWords(unpriced)} have none:`,
          ...namedRowLines(unpricedRows),
          'Nothing was changed. Nothing was spent. Give them one, or drop the budget:',
          '  a duration in seconds in an edited file (redrive --from)',
          `  no budget: ${tune} none`,
        ].join('\n');
      case 'small-budget':
        return (
          `The budget of the batch has ${inCredits(left)} left, too little for any row: the cheapest costs ${number(cheapest ?? 0)}, all cost ${number(quoted)}. ` +
          `Nothing was changed. Nothing was spent. ${isGiven ? 'Run the same command with --budget' : `Raise it, then run the same command again: ${tune}`} ${String(budgetFor(money, quoted))}`
        );
      default:
        return refusalText(why, facts);
    }
  };
}
