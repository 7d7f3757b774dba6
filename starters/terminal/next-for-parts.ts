import { hasResult } from '../../contract/outcomes.ts';
import { partWord } from '../../contract/row-parts.ts';
import type { RowHistory } from '../../batches/explain.ts';
import { isUnknown } from '../../batches/unknown-rows.ts';
import { shellWord } from './go-on-command.ts';
import { wordSteps } from './next-steps.ts';
import { rowsWord, unnamedRows } from './row-words.ts';

type Parts = RowHistory['parts'];

/**
 * What a person can do about a row in parts that ended without a result: about its parts in doubt, those whose jobs still run, and all
 * others that have none. `batch`: its name.
 */
export function nextForParts(row: RowHistory['row'], parts: Parts, batch: string): string {
  const name = shellWord(batch);
  const redrive = (some: Parts): string => {
    const all = { count: some.length, parts: some.length };
    return `voxbatch redrive ${name} --rows ${rowsWord(some)}${unnamedRows(all)}`;
  };
  const whole = `voxbatch redrive ${name} --rows ${rowsWord([row])}`;
  const lacking = parts.filter(({ outcome }) => !hasResult(outcome));
  if (lacking.length === 0)
    return `All its ${partWord(parts.length)} are there and stay. Once the cause is mended, join them again, free: ${whole}`;
  const lost = lacking.filter(isUnknown);
  const late = lacking.filter(({ outcome }) => outcome === 'overdue');
  const gone = lacking.filter(({ isFetchable }) => isFetchable);
  const others = lacking.filter((part) => ![...lost, ...late, ...gone].includes(part));
  const sentences = [
    lost.length === 0
      ? ''
      : `${partWord(lost.length)} may have been charged. ${wordSteps({ count: lost.length, parts: lost.length, first: lost }, name)}`,
    late.length === 0
      ? ''
      : `${partWord(late.length)} with a job that is paid for and still runs. Wait for it again, free: ${redrive(late)}`,
    gone.length === 0
      ? ''
      : `${partWord(gone.length)} whose result was paid for but could not be fetched. Try again, free: ${redrive(gone)}`,
    others.length === 0
      ? ''
      : `${partWord(others.length)} to send again, at ${others.length === 1 ? 'its' : 'their'} price: ${others.length < lacking.length ? redrive(others) : whole}`,
    lacking.length === parts.length ? '' : 'What is there stays, and costs nothing again',
  ];
  return sentences.filter((sentence) => sentence !== '').join('. ');
}
