import type { RowAttempt } from '../../contract/batch.ts';
import type { LaneOwnership } from '../../ledger/lanes/lanes.ts';
import { ofSameVersion } from '../../policy/lanes/versions.ts';
import type { Dependencies } from '../dependencies.ts';

/** Fewer unsent rows are not worth asking whether they are too many. */
const FEW = 10;

/**
 * A lane's share of the unsent rows of its batch. It claims no more than that, and hands back what is more once another
 * worker has joined.
 *
 * A row that was handed back may still wait here for its turn. It sees that it is no longer held before it takes any
 * place in a limit; if it misses that, its fencing token is too old for an intent.
 */
export class FairShare {
  readonly #deps: Pick<Dependencies, 'ledger' | 'realm' | 'owner'>;
  readonly #owned: LaneOwnership;
  readonly #handedBack = new Map<number, number>();
  #workers = 1;

  constructor(deps: Pick<Dependencies, 'ledger' | 'realm' | 'owner'>, owned: LaneOwnership) {
    this.#deps = deps;
    this.#owned = owned;
  }

  /** Workers that could send rows, as of the last look. */
  get workers(): number {
    return this.#workers;
  }

  /** Counts the workers again. */
  async look(): Promise<void> {
    const { ledger, realm, owner } = this.#deps;
    this.#workers = ofSameVersion(owner, await ledger.livingWorkers(realm.apiUrl, realm.account, 'submit')).length;
  }

  /** Hands back the rows beyond its share. `unsent`: how many rows of the lane wait to be sent. */
  async handBack(unsent: number): Promise<void> {
    if (this.#workers < 2 || unsent < FEW) return;
    for (const { row, fence } of await this.#deps.ledger.handBackRows(this.#owned, this.#workers))
      this.#handedBack.set(row, fence);
  }

  /** True if the lane has handed the row back since it was claimed with this fencing token. */
  hasHandedBack({ row, fence }: Pick<RowAttempt, 'row' | 'fence'>): boolean {
    const since = this.#handedBack.get(row);
    return since !== undefined && fence !== undefined && fence < since;
  }
}
