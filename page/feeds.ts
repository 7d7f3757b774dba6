import { beginPace, type Pace } from '../client/look/pace.ts';
import type { Reader } from '../client/look/open-reader.ts';
import { areFilesThere } from '../client/look/status.ts';
import type { StatusAnswer } from './protocol.ts';
import { readStatusAnswer, type PageWords } from './answers.ts';
import { toJson } from './wire.ts';

/** Called with news: the name of an event and its data as JSON. */
type Listener = (event: 'status' | 'trouble', json: string) => void;

/** Pause between two looks at a batch, ms. */
const LOOK_EVERY_MS = 1_000;

/** The state of batches, told to whoever listens: a batch is read once a second, however many tabs show it. */
export class StatusFeeds {
  readonly #reader: Reader;
  readonly #words: PageWords;
  readonly #feeds = new Map<string, Set<Listener>>();

  constructor(reader: Reader, words: PageWords) {
    this.#reader = reader;
    this.#words = words;
  }

  /** Tells a listener how a batch stands, now and whenever that changes. Returns how to end it. */
  listen(batch: string, listener: Listener): () => void {
    const listeners = this.#feeds.get(batch);
    if (listeners === undefined) {
      const first = new Set([listener]);
      this.#feeds.set(batch, first);
      void this.#follow(batch, first);
    } else {
      listeners.add(listener);
      this.#last.get(batch)?.(listener);
    }
    return () => {
      const rest = this.#feeds.get(batch);
      rest?.delete(listener);
      if (rest?.size === 0) this.#feeds.delete(batch);
    };
  }

  /** Tells a late listener what the others were told last. */
  readonly #last = new Map<string, (listener: Listener) => void>();

  async #follow(batch: string, listeners: ReadonlySet<Listener>): Promise<void> {
    let told = '';
    const tell = (event: 'status' | 'trouble', json: string): void => {
      if (json === told) return;
      told = json;
      for (const listener of listeners) listener(event, json);
      this.#last.set(batch, (listener) => {
        listener(event, json);
      });
    };
    let look: (() => Promise<StatusAnswer | undefined>) | undefined;
    while (listeners.size > 0) {
      try {
        if (look === undefined) {
          const pace = await beginPace(this.#reader.ledger, batch);
          tell('status', toJson(await readStatusAnswer(this.#reader, this.#words, batch, { pace, isQuick: true })));
          look = this.#looker(batch, pace);
        }
        const status = await look();
        if (status !== undefined) tell('status', toJson(status));
      } catch (error) {
        tell('trouble', toJson({ message: error instanceof Error ? error.message : String(error) }));
      }
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS).unref());
    }
    this.#last.delete(batch);
  }

  /**
   * Reads the status; undefined if nothing has changed since, for a batch that has ended: neither its records nor
   * whether its files are written.
   */
  #looker(batch: string, pace: Pace): () => Promise<StatusAnswer | undefined> {
    const { ledger } = this.#reader;
    let seen: string | undefined;
    return async () => {
      const record = await ledger.findBatch(batch);
      const mark = record?.state === 'closed' ? await markOf(ledger, record) : undefined;
      if (mark !== undefined && mark === seen) return undefined;
      const status = await readStatusAnswer(this.#reader, this.#words, batch, { pace });
      seen = mark;
      return status;
    };
  }
}

/** What the status of a batch that has ended is made of. */
async function markOf(
  ledger: Reader['ledger'],
  batch: NonNullable<Awaited<ReturnType<Reader['ledger']['findBatch']>>>,
): Promise<string> {
  const [counts, money] = [await ledger.counts(batch.name), await ledger.money(batch.name)];
  return toJson([batch, counts, await areFilesThere({ batch, counts, money })]);
}
