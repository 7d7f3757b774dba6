import type { Ledger } from '../../ledger/ledger.ts';
import { lazyFileReader } from '../../store/open-store.ts';
import { openRecords } from '../open-records.ts';
import type { Settings } from '../settings.ts';

/** Read-only access to the records for a process that displays them for a long time, such as the page's server. */
export interface Reader {
  readonly settings: Settings;
  /** For queries that an index answers at once. */
  readonly ledger: Ledger;
  /** For all other queries: a second connection, for SQLite in a thread that a query may block. Opened on first use. */
  readonly slow: () => Promise<Ledger>;
  /** The stored files. */
  readonly files: ReturnType<typeof lazyFileReader>;
  close(): Promise<void>;
}

/** Opens the records to read them. Creates nothing. Throws {@link VoxbatchError} (`no-ledger`, `machine`). */
export async function openReader(settings: Settings): Promise<Reader> {
  // `waits`: for as long as a database server does not answer, because the display goes on.
  const options = { mustExist: true, isForReading: true, waits: true } as const;
  const ledger = await openRecords(settings, options);
  let opening: Promise<Ledger> | undefined;
  const open = async (): Promise<Ledger> => {
    try {
      return await openRecords(settings, { ...options, thread: true });
    } catch (error) {
      opening = undefined;
      throw error;
    }
  };
  return {
    settings,
    ledger,
    slow: () => (opening ??= open()),
    files: lazyFileReader(settings.store, settings.env),
    close: async () => {
      const slow = await opening?.catch(() => undefined);
      for (const one of [slow, ledger]) await one?.stopWaiting();
      await slow?.close();
      await ledger.close();
    },
  };
}
