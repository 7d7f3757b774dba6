import { beginPace, type Pace } from '../client/status/pace.ts';
import type { Reader } from '../client/status/open-reader.ts';
import { areFilesThere } from '../client/status/status.ts';
import { messageOf } from '../contract/message-of.ts';
import type { StatusAnswer } from './protocol.ts';
import { readStatusAnswer, type PageWords } from './answers.ts';
import { toJson } from './json.ts';

/** Called with a `StatusAnswer`, or with an `ErrorAnswer` if the status cannot be read; `json` is the event's data. */
type Listener = (event: 'status' | 'trouble', json: string) => void;

const POLL_INTERVAL_MS = 1_000;

/** One batch that somebody listens to. */
interface Feed {
  readonly listeners: Set<Listener>;
  /** Repeats the last event for a listener that subscribes later; undefined before the first event. */
  repeat: ((listener: Listener) => void) | undefined;
}

/**
 * Sends the status of batches to subscribers. Each batch is read once a second however many tabs show it, and only
 * while at least one does.
 */
export class StatusFeeds {
  readonly #reader: Reader;
  readonly #words: PageWords;
  readonly #feeds = new Map<string, Feed>();

  constructor(reader: Reader, words: PageWords) {
    this.#reader = reader;
    this.#words = words;
  }

  /** Sends the batch's status to the listener, now and after each change. Returns how to unsubscribe. */
  subscribe(batch: string, listener: Listener): () => void {
    let feed = this.#feeds.get(batch);
    if (feed === undefined) {
      feed = { listeners: new Set([listener]), repeat: undefined };
      this.#feeds.set(batch, feed);
      void this.#poll(batch, feed);
    } else {
      feed.listeners.add(listener);
      feed.repeat?.(listener);
    }
    const { listeners } = feed;
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#feeds.get(batch)?.listeners === listeners) this.#feeds.delete(batch);
    };
  }

  /** Polls the batch until nobody listens. */
  async #poll(batch: string, feed: Feed): Promise<void> {
    let lastJson = '';
    const send = (event: 'status' | 'trouble', json: string): void => {
      if (json === lastJson) return;
      lastJson = json;
      for (const listener of feed.listeners) listener(event, json);
      feed.repeat = (listener) => {
        listener(event, json);
      };
    };
    let readChange: (() => Promise<StatusAnswer | undefined>) | undefined;
    while (feed.listeners.size > 0) {
      try {
        if (readChange === undefined) {
          const pace = await beginPace(this.#reader.ledger, batch);
          send('status', toJson(await readStatusAnswer(this.#reader, this.#words, batch, { pace, isQuick: true })));
          readChange = this.#changeReader(batch, pace);
        }
        const status = await readChange();
        if (status !== undefined) send('status', toJson(status));
      } catch (error) {
        send('trouble', toJson({ message: messageOf(error) }));
      }
      await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS).unref());
    }
  }

  /**
   * Returns a function that reads the status. It resolves with undefined if the batch has ended and nothing has changed
   * since its last call, so that an ended batch in an open tab costs little.
   */
  #changeReader(batch: string, pace: Pace): () => Promise<StatusAnswer | undefined> {
    const { ledger } = this.#reader;
    let lastState: string | undefined;
    return async () => {
      const record = await ledger.findBatch(batch);
      const state = record?.state === 'closed' ? await endedState(ledger, record) : undefined;
      if (state !== undefined && state === lastState) return undefined;
      const status = await readStatusAnswer(this.#reader, this.#words, batch, { pace });
      lastState = state;
      return status;
    };
  }
}

/** Returns everything that the status of an ended batch depends on, as one comparable string. */
async function endedState(
  ledger: Reader['ledger'],
  batch: NonNullable<Awaited<ReturnType<Reader['ledger']['findBatch']>>>,
): Promise<string> {
  const [counts, money] = [await ledger.counts(batch.name), await ledger.money(batch.name)];
  return toJson([batch, counts, await areFilesThere({ batch, counts, money })]);
}
