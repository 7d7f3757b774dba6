import { shellWord } from '../../contract/shell-word.ts';
import { writeOut } from '../../batches/write-out.ts';
import { messageOf } from '../../client/problem.ts';
import { voxbatchVersion } from '../../client/version.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { Store } from '../../store/store.ts';
import { keptLines } from '../terminal/file-words.ts';

export interface WriteWhenClosedRequest {
  readonly ledger: Ledger;
  readonly store: Store;
  /** Name of the batch. */
  readonly batch: string;
  /** Folder of its files, absolute. */
  readonly out: string;
  readonly say: (line: string) => void;
}

/**
 * Writes the files of a batch that nobody follows when it is finished, and again when rows of it were redriven or a
 * late answer arrived. To be called now and then, also concurrently. Never throws: what cannot be written can be
 * written later.
 */
export function writeWhenClosed({ ledger, store, batch: name, out, say }: WriteWhenClosedRequest): () => Promise<void> {
  let written: string | undefined;
  const write = async (): Promise<void> => {
    const batch = await ledger.findBatch(name);
    if (batch?.state !== 'closed') return;
    const end = `${String(batch.closedAt)} ${String((await ledger.money(name)).reserved)}`;
    if (end === written) return;
    written = end;
    try {
      const { kept } = await writeOut({ ledger, store, batch, out, voxbatchVersion: voxbatchVersion() });
      say(`Batch "${name}" is finished. Its files are in ${out}.`);
      for (const line of keptLines(kept, out)) say(line);
    } catch (error) {
      const again = `voxbatch results ${shellWord(name)} --out FOLDER`;
      say(`The files of batch "${name}" cannot be written to ${out}: ${messageOf(error)}. To write them: ${again}`);
    }
  };
  let last = Promise.resolve();
  // One after the other, so that the last caller knows that the files are there.
  return () => (last = last.then(write));
}
