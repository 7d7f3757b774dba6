import { shellWord } from '../../contract/shell-word.ts';
import type { DamagedResult } from '../../results/verification/row-check.ts';
import { namedRow, rowsWord, unnamedRows } from './row-words.ts';

/** Maximum rows that are named. */
const SHOWN = 5;

/** A redrive of a row whose files were removed on purpose always pays, whatever other rows have. */
const FREE_WAY =
  'If another row has the same result undamaged, that costs nothing: run the manifest as a new batch, which uses it ' +
  '(voxbatch plan MANIFEST --name NEW-NAME says what it would pay for).';

/**
 * Describes results that the store no longer has unchanged, with the next command: writing the files again cannot help,
 * only the right store, their jobs or a new take can. `isRequestRemoved`: what the rows asked for is gone, too, so none can be redriven.
 */
export function damageLines(
  all: readonly DamagedResult[],
  place: { batch: string; store: string; isRequestRemoved?: boolean },
): string[] {
  const damaged = all.filter(({ is }) => is !== 'removed');
  const removed = all.filter(({ is }) => is === 'removed');
  return [...lostLines(damaged, place), ...removedLines(removed, place), ...(removed.length === 0 ? [] : [FREE_WAY])];
}

function removedLines(
  removed: readonly DamagedResult[],
  { batch, isRequestRemoved = false }: { batch: string; isRequestRemoved?: boolean },
): string[] {
  if (removed.length === 0) return [];
  const rows = removed.slice(0, SHOWN).map(namedRow).join(', ');
  const more = removed.length > SHOWN ? ` and ${String(removed.length - SHOWN)} more` : '';
  const again = isRequestRemoved
    ? 'So was what the rows asked for: to make them again at a new charge, run the manifest as a new batch.'
    : `To make them again at a new charge: voxbatch redrive ${shellWord(batch)} --rows ${rowsWord(removed)}${unnamedRows({ count: removed.length })}`;
  return [
    `The media of ${rows}${more} were removed from the store (voxbatch clean or cache prune) and are not in this folder. ${again}`,
  ];
}

function lostLines(damaged: readonly DamagedResult[], place: { batch: string; store: string }): string[] {
  if (damaged.length === 0) return [];
  const name = shellWord(place.batch);
  const rows = damaged.slice(0, SHOWN).map(namedRow);
  const more = damaged.length > SHOWN ? ` and ${String(damaged.length - SHOWN)} more` : '';
  const [results, are] = damaged.length === 1 ? ['result', 'is'] : ['results', 'are'];
  const store = `The stored ${results} of ${rows.join(', ')}${more} ${are} missing or damaged in the store, ${place.store}.`;
  const elsewhere = damaged.some(({ is }) => is === 'missing')
    ? [
        `If VOXBATCH_STORE (or "store" in voxbatch.config.json) was different when the batch ran, set it back, then: voxbatch results ${name}`,
      ]
    : [];
  return [
    store,
    ...elsewhere,
    `If ${damaged.length === 1 ? 'it is' : 'they are'} lost: voxbatch redrive ${name} --damaged`,
    'It fetches what a job made from that job again, free, asks before it pays for anything else, and is safe to repeat (--dry-run: only says it).',
  ];
}
