import { statSync } from 'node:fs';
import { orElse } from '../../contract/or-else.ts';
import { LedgerUnreachable } from '../errors.ts';
import type { Unlock } from '../driver.ts';

/**
 * Tells whether a ledger and the locks that this process holds on it are still the files of their names. Once one of
 * them is moved or deleted, an open file goes on as if nothing had happened, while others see no lock there: a backup
 * may be put in its place, and know nothing of what this process sends.
 */
export class SameFiles {
  readonly #ledger: string;
  /** As it was before it was opened; undefined if it is made by that. */
  #opened: string | undefined;
  readonly #locks = new Set<HeldLock>();

  constructor(ledger: string) {
    this.#ledger = ledger;
    this.#opened = identityOf(ledger);
  }

  /**
   * Looks at this lock, too, which is held now. `onLost`: its holder should end. Returns the function that ends
   * looking.
   */
  keep(path: string, onLost: HeldLock['onLost']): Unlock {
    this.#opened ??= identityOf(this.#ledger);
    const lock = { path, held: identityOf(path), onLost };
    this.#locks.add(lock);
    return () => {
      this.#locks.delete(lock);
    };
  }

  /**
   * Throws {@link LedgerUnreachable} if one is another file now, or gone. A process that holds no lock is none that
   * sends.
   */
  require(): void {
    for (const { path, held, onLost } of this.#locks) {
      const lost = isStill(this.#ledger, this.#opened) ? path : this.#ledger;
      if (lost === path && isStill(path, held)) continue;
      const error = notThere(this.#ledger, lost);
      onLost?.(error);
      throw error;
    }
  }
}

interface HeldLock {
  readonly path: string;
  /** The file that was locked. */
  readonly held: string | undefined;
  readonly onLost: ((error: Error) => void) | undefined;
}

function notThere(ledger: string, path: string): LedgerUnreachable {
  return new LedgerUnreachable(
    ledger,
    `${path} was moved, deleted or replaced while this process worked on it, so it sends nothing more`,
    'Put it back where it was, with the files beside it, then run the same command again; or, if the ledger is lost, restore a backup of it (docs/guide/backup.md).',
  );
}

function isStill(path: string, known: string | undefined): boolean {
  return known !== undefined && identityOf(path) === known;
}

/** The same for all names of one file, as long as it exists. */
function identityOf(path: string): string | undefined {
  const found = orElse(() => statSync(path, { bigint: true }), undefined);
  return found && `${String(found.dev)}:${String(found.ino)}`;
}
