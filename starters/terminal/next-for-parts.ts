import { hasResult } from '../../contract/outcomes.ts';
import { partWord } from '../../contract/row-parts.ts';
import type { RowHistory } from '../../batches/explain.ts';
import type { NamedRow } from '../../batches/named-row.ts';
import { isUnknown } from '../../batches/unknown-rows.ts';
import { shellWord } from './go-on-command.ts';
import { uncheckedSteps, wordSteps } from './next-steps.ts';
import { rowsWord, unnamedRows } from './row-words.ts';

type Parts = RowHistory['parts'];

/**
 * What a person can do about a row in parts that ended without a result: about its parts in doubt, those whose jobs still run, and all
 * others that have none. `batch`: its name.
 */
export function nextForParts(row: RowHistory['row'], parts: Parts, batch: string): string {
  const name = shellWord(batch);
  const named = (some: readonly NamedRow[]): string =>
    `${rowsWord(some)}${unnamedRows({ count: some.length, parts: some.length })}`;
  const redrive = (some: readonly NamedRow[]): string => `voxbatch redrive ${name} --rows ${named(some)}`;
  const whole = redrive([row]);
  const lacking = parts.filter(({ outcome }) => !hasResult(outcome));
  if (lacking.length === 0)
    return `All its ${partWord(parts.length)} are there and stay. Once the cause is mended, join them again, free: ${whole}`;
  const unchecked = lacking.filter(({ isUnchecked }) => isUnchecked);
  const lost = lacking.filter((part) => isUnknown(part) && !part.isUnchecked);
  const late = lacking.filter(({ outcome }) => outcome === 'overdue');
  const gone = lacking.filter(({ isFetchable }) => isFetchable);
  const unfit = lacking.filter(({ outcome }) => outcome === 'unfit');
  const others = lacking.filter((part) => ![...unchecked, ...lost, ...late, ...gone, ...unfit].includes(part));
  /** The row is the shorter name of all that it lacks. */
  const only = (some: Parts): readonly NamedRow[] => (some.length < lacking.length ? some : [row]);
  const sentences = [
    unchecked.length === 0
      ? ''
      : `${partWord(unchecked.length)} with ${uncheckedSteps({ count: unchecked.length, parts: unchecked.length, first: unchecked }, name)}`,
    lost.length === 0
      ? ''
      : `${partWord(lost.length)} may have been charged. ${wordSteps({ count: lost.length, parts: lost.length, first: lost }, name)}`,
    late.length === 0
      ? ''
      : `${partWord(late.length)} with a job that is paid for and still runs. Wait for it again, free: ${redrive(late)}`,
    gone.length === 0
      ? ''
      : `${partWord(gone.length)} whose result was paid for but could not be fetched. Try again, free: ${redrive(gone)}`,
    unfit.length === 0
      ? ''
      : `${partWord(unfit.length)} with a result that failed a check, which is kept. To accept ${unfit.length === 1 ? 'it as it is' : 'them as they are'}, free: ` +
        `voxbatch redrive ${name} --accept ${named(only(unfit))}. To pay for ${unfit.length === 1 ? 'it' : 'them'} again: ${redrive(only(unfit))}`,
    others.length === 0
      ? ''
      : `${partWord(others.length)} to send again, at ${others.length === 1 ? 'its' : 'their'} price: ${redrive(only(others))}`,
    lacking.length === parts.length ? '' : 'What is there stays, and costs nothing again',
  ];
  return sentences.filter((sentence) => sentence !== '').join('. ');
}
