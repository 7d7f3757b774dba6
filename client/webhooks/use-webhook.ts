import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHints } from '../../activities/webhooks/job-hints.ts';
import { ApiError } from '../../api/speech-api.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import { withoutPath } from '../../contract/url-scheme.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { changeProfile, isRefusal } from '../account/account-functions.ts';
import { readProfilePatiently, realmOf, type OpenApi } from '../open-api.ts';
import { messageOf } from '../problem.ts';
import { CannotListen, openHintListener, type HintListener, refusePort } from './hint-listener.ts';
import {
  foundIn,
  newSecret,
  type Found,
  type WebhookSet,
  isStillNeeded,
  putBack,
  putLeftoverBack,
} from './put-back.ts';
import { pauseAfter, type AttemptNews, type WebhookNews, type WebhookWish } from './webhook-options.ts';

export interface WebhookRequest {
  readonly wish: WebhookWish;
  readonly open: OpenApi;
  readonly ledger: Ledger;
  /** The worker process that uses it. Somebody has to report it as alive. */
  readonly owner: string;
  readonly hints: JobHints;
  /** How long a mention of an unknown job is remembered, ms. */
  readonly memoryMs: number;
  readonly tell: (news: WebhookNews) => void;
  /** When to try again after an attempt, ms; undefined: not at all. Default: {@link pauseAfter}. */
  readonly pauseAfter?: typeof pauseAfter;
}

/** How long the end may take, ms: less than a process has after SIGTERM. */
const END_MS = 8_000;

/**
 * The use of an account's webhook by one process: it sets the address, listens, gives what comes as hints, and puts the
 * earlier address back in the end. What was there is on record before anything is changed, so that the next process can
 * put it back if this one dies.
 */
export class WebhookUse {
  readonly #request: WebhookRequest;
  readonly #ending = new AbortController();
  #listener: HintListener | undefined;
  /** What this process has set, or may have. */
  #set: WebhookSet | null = null;
  /** What a process that died had set, if this one has its record. */
  #leftover: WebhookSet | null = null;
  #trying: Promise<void> = Promise.resolve();
  #end: Promise<void> | undefined;

  constructor(request: WebhookRequest) {
    this.#request = request;
  }

  /**
   * Begins. If the webhook cannot be had for the moment, it goes on trying. Throws {@link VoxbatchError}
   * (`no-webhook-port`) if the port cannot be had.
   */
  async begin(): Promise<void> {
    const news = await this.#attempt().catch((error: unknown) => {
      if (!(error instanceof CannotListen)) throw error;
      return refusePort(this.#request.wish, error);
    });
    this.#request.tell(news);
    this.#trying = this.#tryAgain(news).catch(() => undefined);
  }

  /** Puts the webhook back and stops listening. Never throws; can be repeated. */
  end(): Promise<void> {
    return (this.#end ??= this.#leave());
  }

  /** Tries until nothing is left to try, or the end. Says only what is new. */
  async #tryAgain(first: AttemptNews): Promise<void> {
    const { tell, pauseAfter: pauseOf = pauseAfter } = this.#request;
    const { signal } = this.#ending;
    let said = first;
    for (let pause = pauseOf(first); pause !== undefined; pause = pauseOf(said)) {
      await sleep(pause, undefined, { signal, ref: false });
      const news = await this.#attempt().catch((error: unknown): AttemptNews => {
        const why = error instanceof CannotListen ? `cannot listen on ${this.#where(error)}` : messageOf(error);
        return { type: 'not-taken', why, isFinal: false };
      });
      if (!signal.aborted && JSON.stringify(news) !== JSON.stringify(said)) tell(news);
      said = news;
    }
  }

  #where({ message }: CannotListen): string {
    const { host, port } = this.#request.wish;
    return `${host}:${String(port)} (${message})`;
  }

  /** Tries once to use the webhook. What it took and cannot use it gives back. */
  async #attempt(): Promise<AttemptNews> {
    const { ledger, open, owner } = this.#request;
    const account = realmOf(open);
    // Whoever takes it has to be known as alive.
    await ledger.beat({ owner, ...account });
    const taken = await ledger.takeWebhook(account, owner);
    if (taken.type === 'taken') return { type: 'in-use' };
    this.#leftover = taken.before?.set ?? null;
    try {
      const news = await this.#setUp();
      if (news.type !== 'set') await this.#giveBack(news);
      return news;
    } catch (error) {
      if (error instanceof ApiError) {
        const news = { type: 'not-taken', why: error.failure.message, isFinal: false } as const;
        await this.#giveBack(news);
        return news;
      }
      await this.#listener?.close();
      if (this.#set === null && this.#leftover === null) await ledger.leaveWebhook(account, owner);
      else await ledger.releaseWebhook(account, owner);
      throw error;
    }
  }

  async #setUp(): Promise<AttemptNews> {
    const { open, wish, hints, memoryMs, tell } = this.#request;
    const secret = newSecret();
    const address = `${trimEnd(wish.url, '/')}/${secret}`;
    const died = (): void => {
      if (this.#ending.signal.aborted) return;
      hints.stop();
      tell({ type: 'deaf' });
    };
    const heard = (ids: readonly string[]): void => {
      hints.heard(ids);
    };
    const { host, port } = wish;
    const listener = (this.#listener = await openHintListener({ host, port, secret, memoryMs }, { heard, died }));
    const before = await this.#before();
    if (before.type === 'foreign') return { type: 'foreign', to: withoutPath(before.url) };
    const old = this.#leftover;
    // Until this one is set, the profile shows an earlier one of ours.
    const set = { address, before, earlier: old === null ? [] : [old.address, ...old.earlier] };
    if (!(await this.#note(set))) return { type: 'in-use' };
    const change = await changeProfile(open, { webhookUrl: address }, this.#ending.signal);
    const { failure, fields } = change;
    const { result, shown } = fields[0] ?? { result: 'lost' };
    if (result === 'refused' || result === 'ignored' || result === 'not-set') {
      // After a no, nothing of ours is to be put back, only what a process that died had set.
      if (result !== 'not-set') await this.#withdraw();
      const why = failure?.message ?? 'it ignored the field';
      return { type: 'not-taken', why, isFinal: isRefusal(change) };
    }
    // A field that is shown once it has a value had none.
    const known = before.type === 'unknown' && shown !== undefined ? { type: 'known' as const, url: null } : before;
    if (known !== before) await this.#note({ ...set, before: known });
    hints.listen(listener);
    return { type: 'set', to: withoutPath(address), port: listener.port, before: known, result };
  }

  /** What to put back in the end. What a process that died had set is not what was there before. */
  async #before(): Promise<Found> {
    const { open, wish } = this.#request;
    if (wish.restore !== undefined) return { type: 'known', url: wish.restore };
    const { webhookUrl } = await readProfilePatiently(open.api, this.#ending.signal);
    return foundIn(webhookUrl, this.#leftover);
  }

  /** False if another process has taken it meanwhile: this one stood still for so long that it counted as dead. */
  async #note(set: WebhookSet): Promise<boolean> {
    const { ledger, open, owner } = this.#request;
    if (!(await ledger.noteWebhook(realmOf(open), owner, set))) return false;
    this.#set = set;
    return true;
  }

  /** Nothing of this process is set: the record is again what it was. */
  async #withdraw(): Promise<void> {
    const { ledger, open, owner } = this.#request;
    await ledger.noteWebhook(realmOf(open), owner, this.#leftover);
    this.#set = null;
  }

  /** The webhook leads elsewhere. Keeps the record, and with it the turn, only for an attempt that follows. */
  async #giveBack(news: AttemptNews): Promise<void> {
    const { ledger, open, owner } = this.#request;
    await this.#listener?.close();
    this.#listener = undefined;
    if (this.#set !== null) return;
    if (this.#leftover === null || news.type !== 'not-taken') {
      this.#leftover = null;
      await ledger.leaveWebhook(realmOf(open), owner);
    } else if (news.isFinal) {
      await this.#putLeftoverBack(this.#ending.signal);
    }
  }

  async #putLeftoverBack(signal: AbortSignal): Promise<void> {
    const { ledger, open, owner, tell } = this.#request;
    this.#leftover = null;
    await ledger.releaseWebhook(realmOf(open), owner);
    const put = await putLeftoverBack(ledger, open, { owner }, signal);
    if (put !== undefined) tell({ type: 'over', end: put.end, before: put.before, isLeftover: true });
  }

  async #leave(): Promise<void> {
    const { ledger, open, owner, hints, tell } = this.#request;
    const account = realmOf(open);
    this.#ending.abort();
    await this.#trying;
    hints.stop();
    const signal = AbortSignal.timeout(END_MS);
    try {
      if (this.#set !== null) {
        const end = await putBack(open, this.#set, signal);
        tell({ type: 'over', end, before: this.#set.before, isLeftover: false });
        // The record tells the next process what to put back, also while this one lives.
        if (isStillNeeded(end)) await ledger.releaseWebhook(account, owner);
        else await ledger.leaveWebhook(account, owner);
      } else if (this.#leftover !== null) await this.#putLeftoverBack(signal);
    } catch {
      // The record stays, and with it what the next process has to do.
    } finally {
      await this.#listener?.close();
    }
  }
}
