import { hasResult } from '../../contract/outcomes.ts';
import { partWord } from '../../contract/row-parts.ts';
import { isTooLongWhole } from '../../contract/text-limits.ts';
import { shellWord } from '../../contract/shell-word.ts';
import type { RowHistory } from '../../batches/look/explain.ts';
import type { SomeRows } from '../../batches/look/leftovers.ts';
import type { NamedRow } from '../../contract/named-row.ts';
import { isUnknown } from '../../batches/reconcile/unknown-rows.ts';
import { cutAnew, editInParts } from './edit-in-parts.ts';
import type { ContinuedBatch } from '../../client/look/continue-command.ts';
import { uncheckedSteps, wordSteps } from './next-steps.ts';
import { rowsWord, unnamedRows } from './row-words.ts';

type Parts = RowHistory['parts'];

/**
 * What a person can do about a row in parts that ended without a result: about its parts in doubt, those whose jobs still run, and all
 * others that have none.
 */
export function nextForParts(row: RowHistory['row'], parts: Parts, batch: ContinuedBatch): string {
  const name = shellWord(batch.name);
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
  const tooLong = lacking.filter(
    ({ outcome, failure }) => outcome === 'failed' && isTooLongWhole({ spec: row.spec, failure }),
  );
  const refused = lacking.filter(
    (part) => part.outcome === 'failed' && part.failure?.class === 'BadRequest' && !tooLong.includes(part),
  );
  const told = [...unchecked, ...lost, ...late, ...gone, ...unfit, ...tooLong, ...refused];
  const others = lacking.filter((part) => !told.includes(part));
  /** The row is the shorter name of all that it lacks. */
  const only = (some: Parts): readonly NamedRow[] => (some.length < lacking.length ? some : [row]);
  const sentences = [
    of(unchecked, (parts) => `with ${uncheckedSteps(someOf(parts), name)}`),
    of(lost, (parts) => `may have been charged. ${wordSteps(someOf(parts), name)}`),
    of(late, (parts) => `with a job that is paid for and still runs. Wait for it again, free: ${redrive(parts)}`),
    of(gone, (parts) => `whose result was paid for but could not be fetched. Try again, free: ${redrive(parts)}`),
    of(
      unfit,
      (parts, isOne) =>
        `with a result that failed a check, which is kept. To accept ${isOne ? 'it as it is' : 'them as they are'}, free: ` +
        `voxbatch redrive ${name} --accept ${named(only(parts))}. To pay for ${isOne ? 'it' : 'them'} again: ${redrive(only(parts))}`,
    ),
    of(tooLong, (_, isOne) => `longer than the API takes, not charged. ${cutAnew(batch, isOne ? 'it' : 'them')}`),
    of(
      refused,
      (parts, isOne) =>
        `refused by the API, not charged. ${editInParts(batch, isOne ? 'its text' : 'their text')}. ` +
        `If the text was not the cause, and that is mended: ${redrive(only(parts))}`,
    ),
    of(others, (parts, isOne) => `to send again, at ${isOne ? 'its' : 'their'} price: ${redrive(only(parts))}`),
    lacking.length === parts.length ? [] : ['What is there stays, and costs nothing again'],
  ];
  return sentences.flat().join('. ');
}

/** What is said of these parts, behind their number; nothing if there are none. */
function of(parts: Parts, say: (parts: Parts, isOne: boolean) => string): readonly string[] {
  return parts.length === 0 ? [] : [`${partWord(parts.length)} ${say(parts, parts.length === 1)}`];
}

function someOf(parts: Parts): SomeRows {
  return { count: parts.length, parts: parts.length, first: parts };
}
