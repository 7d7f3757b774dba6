import { writeOut } from '../../batches/write-out.ts';
import type { Session } from '../session.ts';
import { voxbatchVersion } from '../version.ts';

/** What became of the files of a batch that nobody follows. */
export type WriteNews = { readonly batch: string; readonly out: string } & (
  | ({ readonly type: 'written' } & Pick<Awaited<ReturnType<typeof writeOut>>, 'kept'>)
  | { readonly type: 'unwritten'; readonly cause: unknown }
);

/**
 * Writes the files of a batch that nobody follows when it is finished, and again when rows of it were redriven or a
 * late answer arrived. To be called now and then, also concurrently. Never throws: what cannot be written can be
 * written later.
 */
export function writeWhenClosed(
  session: Session,
  {
    batch: name,
    out,
    tell,
  }: { readonly batch: string; readonly out: string; readonly tell: (news: WriteNews) => void },
): () => Promise<void> {
  let written: string | undefined;
  const write = async (): Promise<void> => {
    const ledger = await session.ledger();
    const batch = await ledger.findBatch(name);
    if (batch?.state !== 'closed') return;
    const end = `${String(batch.closedAt)} ${String((await ledger.money(name)).reserved)}`;
    if (end === written) return;
    written = end;
    try {
      const store = await session.store();
      const { kept } = await writeOut({ ledger, store, batch, out, voxbatchVersion: voxbatchVersion() });
      tell({ type: 'written', batch: name, out, kept });
    } catch (cause) {
      tell({ type: 'unwritten', batch: name, out, cause });
    }
  };
  let last = Promise.resolve();
  // One after the other, so that the last caller knows that the files are there.
  return () => (last = last.then(write));
}
