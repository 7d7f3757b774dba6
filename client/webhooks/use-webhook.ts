import { messageOf } from '../../contract/message-of.ts';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHints } from '../../activities/webhooks/job-hints.ts';
import { ApiError } from '../../api/speech-api.ts';
import { trimEnd } from '../../contract/trim-end.ts';
import { withoutPath } from '../../contract/shown-value.ts';
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
  readonly settings: WebhookSettings;
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
const MAX_END_MS = 8_000;

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
  /** Forwards webhooks received here to the processes whose jobs they mention. */
  readonly #forwarder: HintForwarder;
  /** Receives webhooks about this process's jobs that another process has forwarded. */
  readonly #forwarded: ForwardedHints;

  constructor(request: WebhookRequest) {
    const { ledger, open, owner } = request;
    this.#request = request;
    this.#forwarder = new HintForwarder({ ledger, owner, account: realmOf(open) });
    this.#forwarded = new ForwardedHints(request);
  }

  /**
   * Starts listening and takes the webhook, retrying while it is unavailable. Throws {@link VoxbatchError}
   * (`no-webhook-port`) if the port is unavailable.
   */
  async begin(): Promise<void> {
    const event = await this.#attempt().catch((error: unknown) => {
      if (!(error instanceof CannotListen)) throw error;
      return refusePort(this.#request.settings, error);
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
    let reported = first;
    for (let pause = pauseOf(first); pause !== undefined; pause = pauseOf(reported)) {
      await sleep(pause, undefined, { signal, ref: false });
      const event = await this.#attempt().catch((error: unknown): AttemptResult => {
        const why = error instanceof CannotListen ? `cannot listen on ${this.#where(error)}` : messageOf(error);
        return { type: 'not-taken', why, isFinal: false };
      });
      if (!signal.aborted && JSON.stringify(event) !== JSON.stringify(reported)) onEvent(event);
      reported = event;
    }
  }

  /** Returns the address that cannot be listened on, with the reason, for a message. */
  #where({ message }: CannotListen): string {
    const { host, port } = this.#request.settings;
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
      this.#forwarded.listen();
      return { type: 'in-use' };
    }
    this.#forwarded.stop();
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

  /**
   * Listens, records the earlier URL, and sets this process's URL in the profile. Returns how that went, also if it
   * failed; the caller then gives the webhook back. Rejects if the ledger or the API does not answer, or the port
   * cannot be listened on.
   */
  async #setUp(): Promise<AttemptResult> {
    const { open, settings, hints, memoryMs, onEvent } = this.#request;
    const secret = newSecret();
    const address = `${trimEnd(settings.url, '/')}/${secret}`;
    const onDeath = (): void => {
      if (this.#ending.signal.aborted) return;
      hints.stop();
      onEvent({ type: 'deaf' });
    };
    const onMentions = ({ ids, words }: Mentions): void => {
      hints.receive(ids);
      this.#forwarder.add(words);
    };
    const { host, port } = settings;
    const listener = (this.#listener = await openWebhookListener(
      { host, port, secret, memoryMs },
      { onMentions, onDeath },
    ));
    const before = await this.#findBefore();
    if (before.type === 'foreign') return { type: 'foreign', to: withoutPath(before.url) };
    const old = this.#leftover;
    // Until this URL is set, the profile shows an earlier one of ours.
    const set = { address, before, earlier: old === null ? [] : [old.address, ...old.earlier] };
    if (!(await this.#record(set))) {
      this.#forwarded.listen();
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
    if (known !== before) await this.#record({ ...set, before: known });
    hints.listen(listener);
    return { type: 'set', to: withoutPath(address), port: listener.port, before: known, result };
  }

  /** Returns the URL to restore in the end, which is never one left by a dead process. */
  async #findBefore(): Promise<Found> {
    const { open, settings } = this.#request;
    if (settings.restore !== undefined) return { type: 'known', url: settings.restore };
    const { webhookUrl } = await readProfilePatiently(open.api, this.#ending.signal);
    return foundIn(webhookUrl, this.#leftover);
  }

  /**
   * Records what this process sets. Returns false if another process has taken the webhook, because this one stalled so
   * long that it counted as dead.
   */
  async #record(set: WebhookSet): Promise<boolean> {
    const { ledger, open, owner } = this.#request;
    if (!(await ledger.noteWebhook(realmOf(open), owner, set))) return false;
    this.#set = set;
    return true;
  }

  /** Resets the record to what a dead process had set, because nothing of this process is set. */
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

  /** Restores the URL that a dead process had replaced, and reports that. */
  async #restoreLeftover(signal: AbortSignal): Promise<void> {
    const { ledger, open, owner, onEvent } = this.#request;
    this.#leftover = null;
    await ledger.releaseWebhook(realmOf(open), owner);
    const restored = await restoreLeftover(ledger, open, { owner }, signal);
    if (restored !== undefined) onEvent({ type: 'over', end: restored.end, before: restored.before, isLeftover: true });
  }

  /** Implements {@link WebhookUse.end}. */
  async #leave(): Promise<void> {
    const { ledger, open, owner, hints, onEvent } = this.#request;
    const account = realmOf(open);
    this.#ending.abort();
    await this.#trying;
    this.#forwarded.stop();
    this.#forwarder.end();
    hints.stop();
    const signal = AbortSignal.timeout(MAX_END_MS);
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
