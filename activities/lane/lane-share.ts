import type { RowAttempt } from '../../contract/batch.ts';
import type { LaneOwnership } from '../../ledger/lanes/lanes.ts';
import { ofSameVersion } from '../../policy/lanes/worker-names.ts';
import type { Dependencies } from '../dependencies.ts';

/** With fewer unsent rows, a lane hands none back: the query would cost more than it gains. */
const MIN_TO_HAND_BACK = 10;

/**
 * Keeps a lane's share of the unsent rows of its batch fair: the lane claims no more than its share, and hands the rest
 * back when another worker has joined.
 *
 * The work on a row that was handed back may still wait here for a slot. It checks `hasHandedBack` before it takes a
 * slot, and ends. If it misses that check, the ledger does not let it record the request that it is about to send,
 * because its fencing token is outdated.
 */
export class FairShare {
  readonly #deps: Pick<Dependencies, 'ledger' | 'realm' | 'owner'>;
  readonly #owned: LaneOwnership;
  /** By row: the fencing token that it got when it was handed back. */
  readonly #handedBack = new Map<number, number>();
  #workers = 1;

  constructor(deps: Pick<Dependencies, 'ledger' | 'realm' | 'owner'>, owned: LaneOwnership) {
    this.#deps = deps;
    this.#owned = owned;
  }

  /** Number of workers that could send rows, as of the last {@link FairShare.countWorkers}. */
  get workers(): number {
    return this.#workers;
  }

  /** Counts the living workers of this version that could send rows. */
  async countWorkers(): Promise<void> {
    const { ledger, realm, owner } = this.#deps;
    this.#workers = ofSameVersion(owner, await ledger.livingWorkers(realm.apiUrl, realm.account, 'submit')).length;
  }

  /** Hands back the rows beyond the share. `unsent`: how many rows of the lane wait to be sent. */
  async handBack(unsent: number): Promise<void> {
    if (this.#workers < 2 || unsent < MIN_TO_HAND_BACK) return;
    for (const { row, fence } of await this.#deps.ledger.handBackRows(this.#owned, this.#workers))
      this.#handedBack.set(row, fence);
  }

  /** Returns whether the lane has handed the row back since it was claimed with this fencing token. */
  hasHandedBack({ row, fence }: Pick<RowAttempt, 'row' | 'fence'>): boolean {
    const since = this.#handedBack.get(row);
    return since !== undefined && fence !== undefined && fence < since;
  }
}
