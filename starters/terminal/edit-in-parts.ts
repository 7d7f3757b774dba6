import type { ContinuedBatch } from '../../client/look/continue-command.ts';
import { goOnCommand } from './go-on-command.ts';

/** The same manifest as a batch of its own, which does not pay again for what is there. */
const ANEW = { name: 'NEW-NAME' };

/** How a text that is spoken in parts is changed: those on record are the parts of its old text. `what`: the text or texts. */
export function editInParts(batch: ContinuedBatch, what: string): string {
  const free = 'parts that did not change come from the cache, free';
  if (batch.settings.single !== undefined) return `Give ${what}, changed, to the same command again: ${free}`;
  return `Change ${what} in the manifest, and run that under another name, where ${free}: ${goOnCommand({ ...batch, ...ANEW })}`;
}

/**
 * How a text is cut that is too long for the API, now that its limit is known: a batch on record is not cut again. The text stays as it is.
 * `it`: it, or them.
 */
export function cutAnew(batch: ContinuedBatch, it: string): string {
  const { single, reading } = batch.settings;
  if (single !== undefined) return `To have ${it} cut: the same command with --split sentences`;
  const split = { ...batch.settings, reading: { ...reading, split: reading.split ?? 'sentences' } };
  return (
    `No edit is needed. To have ${it} cut, run the manifest under another name, where what is finished comes from the cache, free: ` +
    goOnCommand({ ...batch, ...ANEW, settings: split })
  );
}
