import { rowArg } from '../../client/status/continue-command.ts';
import type { RedriveCheck } from '../../client/redrive/redrive-options.ts';
import { STEPS } from '../../contract/row-kinds.ts';
import { formatPartCount } from '../../contract/row-parts.ts';
import { endFirstAdvice, leftOutLines } from './refusal-words.ts';
import { inCredits } from '../terminal/money.ts';
import { rowsInWords, form, number } from '../terminal/words.ts';

type Forecast = Extract<RedriveCheck, { readonly type: 'ready' }>['forecast'];

/** Describes what a redrive would do and cost: a title, then a line for each group of rows. */
export function forecastLines(forecast: Forecast, batch: string): readonly string[] {
  const { count, waits, joins, accepts, returns, left, paying, isEstimate } = forecast;
  const { quoted, unpriced } = forecast.bill;
  // Each count with the line that describes it; lines of zero rows are left out.
  const counted: readonly (readonly [number, (rows: number) => string])[] = [
    ...STEPS.map(
      (step) =>
        [forecast.pays.get(step) ?? 0, (rows: number) => `${rowsInWords(rows)} to send, from ${step} on`] as const,
    ),
    [forecast.parts, (rows) => `of rows in parts: ${formatPartCount(rows)}, and no other part of these rows`],
    [forecast.dependents, (rows) => `${rowsInWords(rows)} that wait for these voices go on by themselves`],
    [waits - joins, (rows) => `${rowsInWords(rows)} whose job was paid for: wait for the result again, free`],
    [joins, (rows) => `${rowsInWords(rows)} whose parts are joined again, free`],
    [
      forecast.rewritten,
      (rows) => `${rowsInWords(rows)} whose lost text is written again from what is on record, free`,
    ],
    [accepts - returns, (rows) => `${rowsInWords(rows)} whose result is accepted as it is, free`],
    [returns, (rows) => `${rowsInWords(rows)} back to the result of an earlier take, free`],
    [
      forecast.refetched,
      (rows) => `${ofThese(rows)} to fetch that file first: its job is read, and the row keeps what it has until then`,
    ],
    [forecast.untaken, (rows) => `${ofThese(rows)} edits that no step reads; they are ignored`],
    [left['has-result'], (rows) => `${rowsInWords(rows)} left out: a result exists`],
    [
      left['no-unfit'],
      (rows) => `${rowsInWords(rows)} left out: no result to accept that failed a check or lacks its verification`,
    ],
    [left.open, (rows) => `${rowsInWords(rows)} left out: not ended yet`],
    [forecast.replaced, () => replacedWords(forecast)],
    [forecast.notChosen, (rows) => `${number(rows)} of these were left out before by --limit or --sample`],
    [forecast.resubmitted, (rows) => `${number(rows)} of these may be charged twice for one result`],
  ];
  const lines = counted.flatMap(([rows, describe]) => (rows > 0 ? [describe(rows)] : []));
  if (count === 0 && lines.length === 0) return [`No row of batch "${batch}" matches. Nothing is sent.`];
  const unknown = unpriced > 0 ? ` and the unknown price of ${rowsInWords(unpriced)}` : '';
  const bill = paying === 0 ? 'nothing' : `${isEstimate ? '~' : ''}${inCredits(quoted)}${unknown}`;
  const title =
    count === 0 ? `Batch "${batch}": nothing to redrive` : `Redrive of batch "${batch}", at a cost of ${bill}`;
  const stuck = count === 0 && left.open > 0 ? [endFirstAdvice(batch)] : [];
  return [title, ...[...lines, ...leftOutLines(forecast, batch), ...stuck].map((line) => `  ${line}`)];
}

/**
 * Returns the question before results are replaced or rows that may have been charged are paid for again; undefined if
 * there are no such rows.
 */
export function doubtsQuestion({
  replaced,
  lost,
  resubmitted,
}: Pick<Forecast, 'replaced' | 'lost' | 'resubmitted'>): string | undefined {
  const intact = replaced - lost;
  const doubts = [
    ...(intact > 0 ? [`replace the results of ${rowsInWords(intact)} (${RESULT_IS_KEPT})`] : []),
    ...(lost > 0 ? [`pay again for ${rowsInWords(lost)} whose stored ${form(lost, 'file is', 'files are')} lost`] : []),
    ...(resubmitted > 0 ? [`pay for ${rowsInWords(resubmitted)} that may already have been charged`] : []),
  ];
  const question = doubts.join(' and ');
  return question === '' ? undefined : `${question.charAt(0).toUpperCase()}${question.slice(1)}?`;
}

/** Returns why a redrive that needs consent is refused where the user cannot be asked. */
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

/** Names rows whose result is replaced, and says which of them were edited or have lost their file. */
function replacedWords({ replaced, lost, firstReplaced }: Forecast): string {
  const names = firstReplaced.map(
    ({ isEdited, isLost, ...row }) =>
      `${rowArg(row)}${isEdited ? ' (edited)' : ''}${isLost === true ? ' (its stored file is lost)' : ''}`,
  );
  const more = replaced > names.length ? `, and ${number(replaced - names.length)} more` : '';
  if (lost === replaced) return `${ofThese(lost)} been paid for before: ${names.join(', ')}${more}`;
  return `${ofThese(replaced)} a result, which the new one replaces: ${names.join(', ')}${more}; ${RESULT_IS_KEPT}`;
}

/** Says what happens to the result if the new take fails. */
const RESULT_IS_KEPT = 'if a new take fails, its row keeps the result that it has';

/** Returns `1 of these has` or `2 of these have`. */
function ofThese(rows: number): string {
  return `${number(rows)} of these ${form(rows, 'has', 'have')}`;
}
