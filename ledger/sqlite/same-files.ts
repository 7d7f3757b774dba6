import { statSync } from 'node:fs';
import { orElse } from '../../contract/or-else.ts';
import { LedgerUnreachable } from '../errors.ts';
import type { Unlock } from '../driver.ts';

/**
 * Checks that the paths of a ledger and of the lock files that this process holds still lead to the same files. If one
 * is moved or deleted, this process would continue with the open file, while others see no lock there: they could put a
 * backup in its place, which knows nothing of what this process sends.
 */
export class SameFiles {
  readonly #ledger: string;
  /** Identity of the ledger's file; undefined if it did not exist yet. */
  #opened: string | undefined;
  readonly #locks = new Set<HeldLock>();

  constructor(ledger: string) {
    this.#ledger = ledger;
    this.#opened = identityOf(ledger);
  }

  /**
   * Also checks this lock file, which is held now. `onLost`: called by {@link check} if a file was replaced. Returns
   * the function that ends it.
   */
  watch(path: string, onLost: HeldLock['onLost']): Unlock {
    this.#opened ??= identityOf(this.#ledger);
    const lock = { path, held: identityOf(path), onLost };
    this.#locks.add(lock);
    return () => {
      this.#locks.delete(lock);
    };
  }

  /**
   * Throws {@link LedgerUnreachable} if a path leads to another file now, or to none. No effect without watched locks:
   * such a process sends nothing.
   */
  check(): void {
    for (const { path, held, onLost } of this.#locks) {
      const lost = isStill(this.#ledger, this.#opened) ? path : this.#ledger;
      if (lost === path && isStill(path, held)) continue;
      const error = notThere(this.#ledger, lost);
      onLost?.(error);
      throw error;
    }
  }
}

/** A lock file that this process holds. */
interface HeldLock {
  readonly path: string;
  /** Identity of the file that was locked. */
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

/** Returns the identity of a file, the same for all its names; undefined if it does not exist. */
function identityOf(path: string): string | undefined {
  const found = orElse(() => statSync(path, { bigint: true }), undefined);
  return found && `${String(found.dev)}:${String(found.ino)}`;
}
