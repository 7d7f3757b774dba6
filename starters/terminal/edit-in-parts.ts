import { goOnCommand, type GoOnBatch } from './go-on-command.ts';

/** How a text that is spoken in parts is changed: those on record are the parts of its old text. `what`: the text or texts. */
export function editInParts(batch: GoOnBatch, what: string): string {
  const free = 'parts that did not change come from the cache, free';
  if (batch.settings.single !== undefined) return `Give ${what}, changed, to the same command again: ${free}`;
  return `Change ${what} in the manifest, and run that under another name, where ${free}: ${goOnCommand({ ...batch, name: 'NEW-NAME' })}`;
}
