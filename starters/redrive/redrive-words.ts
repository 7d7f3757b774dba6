import { rowArg } from '../../client/look/continue-command.ts';
import type { RedriveCheck } from '../../client/redrive/redrive-options.ts';
import { STEPS } from '../../contract/row-kinds.ts';
import { formatPartCount } from '../../contract/row-parts.ts';
import { endFirst, leftOutLines } from './refusal-words.ts';
import { inCredits } from '../terminal/money.ts';
import { rowsInWords, form, number } from '../terminal/words.ts';

type Forecast = Extract<RedriveCheck, { readonly type: 'ready' }>['forecast'];

/** Describes a redrive's effect and cost in advance. */
export function draftLines(draft: Forecast, batch: string): readonly string[] {
  const { count, waits, joins, accepts, returns, left, paying, isEstimate } = draft;
  const { quoted, unpriced } = draft.bill;
  const counted: readonly (readonly [number, (rows: number) => string])[] = [
    ...STEPS.map(
      (step) => [draft.pays.get(step) ?? 0, (n: number) => `${rowsInWords(n)} to send, from ${step} on`] as const,
    ),
    [draft.parts, (n) => `of rows in parts: ${formatPartCount(n)}, and no other part of these rows`],
    [draft.dependents, (n) => `${rowsInWords(n)} that wait for these voices go on by themselves`],
    [waits - joins, (n) => `${rowsInWords(n)} whose job was paid for: wait for the result again, free`],
    [joins, (n) => `${rowsInWords(n)} whose parts are joined again, free`],
    [draft.rewritten, (n) => `${rowsInWords(n)} whose lost text is written again from what is on record, free`],
    [accepts - returns, (n) => `${rowsInWords(n)} whose result is accepted as it is, free`],
    [returns, (n) => `${rowsInWords(n)} back to the result of an earlier take, free`],
    [
      draft.refetched,
      (n) => `${ofThese(n)} to fetch that file first: its job is read, and the row keeps what it has until then`,
    ],
    [draft.untaken, (n) => `${ofThese(n)} edits that no step reads; they are ignored`],
    [left['has-result'], (n) => `${rowsInWords(n)} left out: a result exists`],
    [
      left['no-unfit'],
      (n) => `${rowsInWords(n)} left out: no result to accept that failed a check or lacks its verification`,
    ],
    [left.open, (n) => `${rowsInWords(n)} left out: not ended yet`],
    [draft.replaced, () => replacedWords(draft)],
    [draft.notChosen, (n) => `${number(n)} of these were left out before by --limit or --sample`],
    [draft.resubmitted, (n) => `${number(n)} of these may be charged twice for one result`],
  ];
  const lines = counted.flatMap(([rows, words]) => (rows > 0 ? [words(rows)] : []));
  if (count === 0 && lines.length === 0) return [`No row of batch "${batch}" matches. Nothing is sent.`];
  const unknown = unpriced > 0 ? ` and the unknown price of ${rowsInWords(unpriced)}` : '';
  const bill = paying === 0 ? 'nothing' : `${isEstimate ? '~' : ''}${inCredits(quoted)}${unknown}`;
  const title =
    count === 0 ? `Batch "${batch}": nothing to redrive` : `Redrive of batch "${batch}", at a cost of ${bill}`;
  const stuck = count === 0 && left.open > 0 ? [endFirst(batch)] : [];
  return [title, ...[...lines, ...leftOutLines(draft, batch), ...stuck].map((line) => `  ${line}`)];
}

/**
 * The question asked before results are replaced, or rows that may have been charged are paid for. Undefined if neither
 * applies.
 */
export function doubtsQuestion({
  replaced,
  lost,
  resubmitted,
}: Pick<Forecast, 'replaced' | 'lost' | 'resubmitted'>): string | undefined {
  const intact = replaced - lost;
  const doubts = [
    ...(intact > 0 ? [`replace the results of ${rowsInWords(intact)} (${REPLACING})`] : []),
    ...(lost > 0 ? [`pay again for ${rowsInWords(lost)} whose stored ${form(lost, 'file is', 'files are')} lost`] : []),
    ...(resubmitted > 0 ? [`pay for ${rowsInWords(resubmitted)} that may already have been charged`] : []),
  ];
  const question = doubts.join(' and ');
  return question === '' ? undefined : `${question.charAt(0).toUpperCase()}${question.slice(1)}?`;
}

/** Why results are not replaced when nobody can be asked. */
export function unaskedText({ replaced, lost }: Pick<Forecast, 'replaced' | 'lost'>): string {
  const intact = replaced - lost;
  const loss =
    intact === 0
      ? ''
      : ` (${number(intact)} with a result, which the new one replaces; the former file stays in the store)`;
  return (
    `Not confirmed: ${rowsInWords(replaced)} would be paid for again${loss}, ` +
    'and there is no terminal to ask on. Nothing was changed. Nothing was spent. To continue, run the same command with --yes.'
  );
}

/** Which rows have a result that is replaced, and which of them because the file is not what was sent last. */
function replacedWords({ replaced, lost, firstReplaced }: Forecast): string {
  const names = firstReplaced.map(
    ({ isEdited, isLost, ...row }) =>
      `${rowArg(row)}${isEdited ? ' (edited)' : ''}${isLost === true ? ' (its stored file is lost)' : ''}`,
  );
  const more = replaced > names.length ? `, and ${number(replaced - names.length)} more` : '';
  if (lost === replaced) return `${ofThese(lost)} been paid for before: ${names.join(', ')}${more}`;
  return `${ofThese(replaced)} a result, which the new one replaces: ${names.join(', ')}${more}; ${REPLACING}`;
}

/** The safeguard mentioned before a result is replaced. */
const REPLACING = 'if a new take fails, its row keeps the result that it has';

/** `1 of these has`, `2 of these have`. */
function ofThese(rows: number): string {
  return `${number(rows)} of these ${form(rows, 'has', 'have')}`;
}
