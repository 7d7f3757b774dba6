import { messageOf } from '../../contract/message-of.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHints } from '../../activities/webhooks/job-hints.ts';
import { ApiError } from '../../api/speech-api.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import { withoutPath } from '../../contract/secrets.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { changeProfile, isRefusal } from '../account/account-functions.ts';
import { readProfilePatiently, realmOf, type ConnectedApi } from '../connect-api.ts';
import { CannotListen, openWebhookListener, type WebhookListener, refusePort } from './webhook-listener.ts';
import { isStillNeeded, restoreLeftover, restoreWebhook } from './restore-webhook.ts';
import { HintForwarder } from './hint-forwarder.ts';
import { ForwardedHints } from './forwarded-hints.ts';
import type { Mentions } from './mentioned-jobs.ts';
import { pauseAfter, type AttemptResult, type WebhookEvent, type WebhookSettings } from './webhook-options.ts';
import { foundIn, newSecret, type Found, type WebhookSet } from './webhook-url.ts';

/** Options of {@link WebhookUse}. */
export interface WebhookRequest {
  readonly wish: WebhookSettings;
  readonly open: ConnectedApi;
  readonly ledger: Ledger;
  /** The worker process that uses the webhook. Its heartbeats must be sent elsewhere. */
  readonly owner: string;
  readonly hints: JobHints;
  /** How long to remember mentions of unknown jobs, ms. */
  readonly memoryMs: number;
  readonly onEvent: (event: WebhookEvent) => void;
  /** Delay before the next attempt, ms; undefined means no retry. Default: {@link pauseAfter}. */
  readonly pauseAfter?: typeof pauseAfter;
}

/** Max time for ending, ms; less than a process has after SIGTERM. */
const END_MS = 8_000;

/**
 * One process's use of an account's webhook: sets the URL, listens, passes incoming webhooks on as hints, and finally
 * restores the earlier URL. That URL is recorded before anything is changed, so that the next process can restore it if
 * this one dies.
 */
export class WebhookUse {
  readonly #request: WebhookRequest;
  readonly #ending = new AbortController();
  #listener: WebhookListener | undefined;
  /** The URL this process has set, or may have set. */
  #set: WebhookSet | null = null;
  /** The URL a dead process had set, if this process took over its record. */
  #leftover: WebhookSet | null = null;
  #trying: Promise<void> = Promise.resolve();
  #end: Promise<void> | undefined;
  /** Webhooks received here about jobs of other processes. */
  readonly #passing: HintForwarder;
  /** Webhooks received by another process about jobs of this one. */
  readonly #passed: ForwardedHints;

  constructor(request: WebhookRequest) {
    const { ledger, open, owner } = request;
    this.#request = request;
    this.#passing = new HintForwarder({ ledger, owner, account: realmOf(open) });
    this.#passed = new ForwardedHints(request);
  }

  /**
   * Starts listening and takes the webhook, retrying while it is unavailable. Throws {@link VoxbatchError}
   * (`no-webhook-port`) if the port is unavailable.
   */
  async begin(): Promise<void> {
    const event = await this.#attempt().catch((error: unknown) => {
      if (!(error instanceof CannotListen)) throw error;
      return refusePort(this.#request.wish, error);
    });
    this.#request.onEvent(event);
    this.#trying = this.#tryAgain(event).catch(() => undefined);
  }

  /** Restores the webhook and stops listening. Never throws; repeatable. */
  end(): Promise<void> {
    return (this.#end ??= this.#leave());
  }

  /** Retries until no retry is due or the use ends. Reports a result only if it differs from the last one reported. */
  async #tryAgain(first: AttemptResult): Promise<void> {
    const { onEvent, pauseAfter: pauseOf = pauseAfter } = this.#request;
    const { signal } = this.#ending;
    let said = first;
    for (let pause = pauseOf(first); pause !== undefined; pause = pauseOf(said)) {
      await sleep(pause, undefined, { signal, ref: false });
      const event = await this.#attempt().catch((error: unknown): AttemptResult => {
        const why = error instanceof CannotListen ? `cannot listen on ${this.#where(error)}` : messageOf(error);
        return { type: 'not-taken', why, isFinal: false };
      });
      if (!signal.aborted && JSON.stringify(event) !== JSON.stringify(said)) onEvent(event);
      said = event;
    }
  }

  #where({ message }: CannotListen): string {
    const { host, port } = this.#request.wish;
    return `${host}:${String(port)} (${message})`;
  }

  /** Tries once to take the webhook, and gives it back if it cannot be used. */
  async #attempt(): Promise<AttemptResult> {
    const { ledger, open, owner } = this.#request;
    const account = realmOf(open);
    // The claimer must be on record as alive.
    await ledger.beat({ owner, ...account });
    const taken = await ledger.takeWebhook(account, owner);
    if (taken.type === 'taken') {
      this.#passed.listen();
      return { type: 'in-use' };
    }
    this.#passed.stop();
    this.#leftover = taken.before?.set ?? null;
    try {
      const event = await this.#setUp();
      if (event.type !== 'set') await this.#giveBack(event);
      return event;
    } catch (error) {
      if (error instanceof ApiError) {
        const event = { type: 'not-taken', why: error.failure.message, isFinal: false } as const;
        await this.#giveBack(event);
        return event;
      }
      await this.#listener?.close();
      if (this.#set === null && this.#leftover === null) await ledger.forgetWebhook(account, owner);
      else await ledger.releaseWebhook(account, owner);
      throw error;
    }
  }

  async #setUp(): Promise<AttemptResult> {
    const { open, wish, hints, memoryMs, onEvent } = this.#request;
    const secret = newSecret();
    const address = `${trimEnd(wish.url, '/')}/${secret}`;
    const died = (): void => {
      if (this.#ending.signal.aborted) return;
      hints.stop();
      onEvent({ type: 'deaf' });
    };
    const heard = ({ ids, words }: Mentions): void => {
      hints.receive(ids);
      this.#passing.heard(words);
    };
    const { host, port } = wish;
    const listener = (this.#listener = await openWebhookListener({ host, port, secret, memoryMs }, { heard, died }));
    const before = await this.#before();
    if (before.type === 'foreign') return { type: 'foreign', to: withoutPath(before.url) };
    const old = this.#leftover;
    // Until this URL is set, the profile shows an earlier one of ours.
    const set = { address, before, earlier: old === null ? [] : [old.address, ...old.earlier] };
    if (!(await this.#note(set))) {
      this.#passed.listen();
      return { type: 'in-use' };
    }
    const change = await changeProfile(open, { webhookUrl: address }, this.#ending.signal);
    const { failure, fields } = change;
    const { result, shown } = fields[0] ?? { result: 'lost' };
    if (result === 'refused' || result === 'ignored' || result === 'not-set') {
      // After a refusal, nothing of ours needs restoring, only what a dead process had set.
      if (result !== 'not-set') await this.#withdraw();
      const why = failure?.message ?? 'it ignored the field';
      return { type: 'not-taken', why, isFinal: isRefusal(change) };
    }
    // A field that only appears once set was empty before.
    const known = before.type === 'unknown' && shown !== undefined ? { type: 'known' as const, url: null } : before;
    if (known !== before) await this.#note({ ...set, before: known });
    hints.listen(listener);
    return { type: 'set', to: withoutPath(address), port: listener.port, before: known, result };
  }

  /** The URL to restore in the end, which is not one left by a dead process. */
  async #before(): Promise<Found> {
    const { open, wish } = this.#request;
    if (wish.restore !== undefined) return { type: 'known', url: wish.restore };
    const { webhookUrl } = await readProfilePatiently(open.api, this.#ending.signal);
    return foundIn(webhookUrl, this.#leftover);
  }

  /**
   * Returns false if another process has taken the webhook because this one stalled so long that it counted as dead.
   */
  async #note(set: WebhookSet): Promise<boolean> {
    const { ledger, open, owner } = this.#request;
    if (!(await ledger.noteWebhook(realmOf(open), owner, set))) return false;
    this.#set = set;
    return true;
  }

  /** Resets the record, since nothing of this process is set. */
  async #withdraw(): Promise<void> {
    const { ledger, open, owner } = this.#request;
    await ledger.noteWebhook(realmOf(open), owner, this.#leftover);
    this.#set = null;
  }

  /**
   * Releases the webhook, which leads elsewhere. Keeps the record, and with it the claim, only if another attempt
   * follows.
   */
  async #giveBack(event: AttemptResult): Promise<void> {
    const { ledger, open, owner } = this.#request;
    await this.#listener?.close();
    this.#listener = undefined;
    if (this.#set !== null) return;
    if (this.#leftover === null || event.type !== 'not-taken') {
      this.#leftover = null;
      await ledger.forgetWebhook(realmOf(open), owner);
    } else if (event.isFinal) {
      await this.#restoreLeftover(this.#ending.signal);
    }
  }

  async #restoreLeftover(signal: AbortSignal): Promise<void> {
    const { ledger, open, owner, onEvent } = this.#request;
    this.#leftover = null;
    await ledger.releaseWebhook(realmOf(open), owner);
    const restored = await restoreLeftover(ledger, open, { owner }, signal);
    if (restored !== undefined) onEvent({ type: 'over', end: restored.end, before: restored.before, isLeftover: true });
  }

  async #leave(): Promise<void> {
    const { ledger, open, owner, hints, onEvent } = this.#request;
    const account = realmOf(open);
    this.#ending.abort();
    await this.#trying;
    this.#passed.stop();
    this.#passing.end();
    hints.stop();
    const signal = AbortSignal.timeout(END_MS);
    try {
      if (this.#set !== null) {
        const end = await restoreWebhook(open, this.#set, signal);
        onEvent({ type: 'over', end, before: this.#set.before, isLeftover: false });
        // The record tells the next process what to restore, even while this one is alive.
        if (isStillNeeded(end)) await ledger.releaseWebhook(account, owner);
        else await ledger.forgetWebhook(account, owner);
      } else if (this.#leftover !== null) await this.#restoreLeftover(signal);
    } catch {
      // The record stays, so the next process knows what to restore.
    } finally {
      await this.#listener?.close();
    }
  }
}
