import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { JobHints } from '../../activities/job-hints.ts';
import { ApiError } from '../../api/speech-api.ts';
import { withoutPath } from '../../contract/url-scheme.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import type { WebhookBefore, WebhookRecord } from '../../ledger/webhook-methods.ts';
import { changeProfile, type FieldResult } from '../account/change-profile.ts';
import { readProfilePatiently, realmOf, type OpenApi } from '../open-api.ts';
import { messageOf } from '../problem.ts';
import { refuseOption } from '../refuse-option.ts';
import { CannotListen, openHintListener, type HintListener } from './hint-listener.ts';
import { isOurs, putBack, type PutBack } from './put-back.ts';

/** How webhooks reach this process. */
export interface WebhookWish {
  /** Public http(s) address that leads to {@link WebhookWish.host} and {@link WebhookWish.port}; a secret path is added. */
  readonly url: string;
  readonly host: string;
  readonly port: number;
  /** Address to put back in the end, instead of the one that the profile shows now. */
  readonly restore?: string;
}

/** What happens to the account's webhook, for people. */
export type WebhookNews =
  /** It leads here now. `result`: whether the profile shows it. */
  | {
      readonly type: 'set';
      readonly to: string;
      readonly port: number;
      readonly before: WebhookBefore;
      readonly result: FieldResult;
    }
  /** The API does not take it: jobs are polled. */
  | { readonly type: 'not-taken'; readonly why: string }
  /** Another process uses it: jobs are polled until that one ends. */
  | { readonly type: 'in-use' }
  /** Nobody listens any more: jobs are polled. */
  | { readonly type: 'deaf' }
  /** It was put back, or not. `isLeftover`: a process that died had set it. */
  | { readonly type: 'over'; readonly end: PutBack; readonly before: WebhookBefore; readonly isLeftover: boolean };

export interface WebhookRequest {
  readonly wish: WebhookWish;
  readonly open: OpenApi;
  readonly ledger: Ledger;
  /** The worker process that uses it. */
  readonly owner: string;
  readonly hints: JobHints;
  /** How long a mention of an unknown job is remembered, ms. */
  readonly memoryMs: number;
  readonly tell: (news: WebhookNews) => void;
}

/** How often a webhook that another process uses is asked for, ms. */
const ASK_EVERY_MS = 5_000;
/** How long the end may take, ms: less than a process has after SIGTERM. */
const END_MS = 8_000;
/** Bytes of randomness in the secret path. */
const SECRET_BYTES = 24;

/**
 * The use of an account's webhook by one process: it sets the address, listens, gives what comes as hints, and puts the
 * earlier address back in the end. What was there is on record before anything is changed, so that the next process can
 * put it back if this one dies.
 */
export class WebhookUse {
  readonly #request: WebhookRequest;
  readonly #ending = new AbortController();
  #listener: HintListener | undefined;
  #set: WebhookRecord['set'] = null;
  /** What a process that died had set. */
  #leftover: WebhookRecord['set'] = null;
  #asking: Promise<void> = Promise.resolve();
  #end: Promise<void> | undefined;

  constructor(request: WebhookRequest) {
    this.#request = request;
  }

  /**
   * Begins. If another process uses the webhook, it goes on asking for it. Throws {@link VoxbatchError} (`bad-option`)
   * if the port cannot be had.
   */
  async begin(): Promise<void> {
    if (await this.#tryTo()) return;
    this.#request.tell({ type: 'in-use' });
    this.#asking = this.#askAgain().catch((error: unknown) => {
      if (!this.#ending.signal.aborted) this.#request.tell({ type: 'not-taken', why: messageOf(error) });
    });
  }

  /** Puts the webhook back and stops listening. Never throws; can be repeated. */
  end(): Promise<void> {
    return (this.#end ??= this.#leave());
  }

  async #askAgain(): Promise<void> {
    const { signal } = this.#ending;
    do await sleep(ASK_EVERY_MS, undefined, { signal, ref: false });
    while (!signal.aborted && !(await this.#tryTo()));
  }

  /** False if another process uses it. */
  async #tryTo(): Promise<boolean> {
    const { ledger, open, owner } = this.#request;
    const account = realmOf(open);
    // Whoever takes it has to be known as alive.
    await ledger.beat({ owner, ...account });
    const taken = await ledger.takeWebhook(account, owner);
    if (taken.type === 'taken') return false;
    this.#leftover = taken.before?.set ?? null;
    try {
      await this.#setUp();
    } catch (error) {
      await this.#listener?.close();
      if (this.#set === null && this.#leftover === null) await ledger.leaveWebhook(account, owner);
      if (error instanceof ApiError) {
        // Nothing of ours is set, so what a process that died had set is still to be put back in the end.
        this.#set ??= this.#leftover;
        this.#request.tell({ type: 'not-taken', why: error.failure.message });
        return true;
      }
      await ledger.releaseWebhook(account, owner);
      if (!(error instanceof CannotListen)) throw error;
      const { host, port } = this.#request.wish;
      refuseOption('webhook-port', 'a free port to listen on', `${host}:${String(port)} (${error.message})`);
    }
    return true;
  }

  async #setUp(): Promise<void> {
    const { open, wish, hints, memoryMs, tell } = this.#request;
    const secret = randomBytes(SECRET_BYTES).toString('base64url');
    const address = `${wish.url.replace(/\/+$/, '')}/${secret}`;
    const deaf = (): void => {
      if (this.#ending.signal.aborted) return;
      hints.stop();
      tell({ type: 'deaf' });
    };
    const heard = (ids: readonly string[]): void => {
      hints.heard(ids);
    };
    this.#listener = await openHintListener(
      { host: wish.host, port: wish.port, secret, memoryMs },
      { heard, died: deaf },
    );
    const before = await this.#before();
    const old = this.#leftover;
    // Until this one is set, the profile shows an earlier one of ours.
    await this.#note({ address, before, earlier: old === null ? [] : [old.address, ...old.earlier] });
    const { fields, failure } = await changeProfile(open, { webhookUrl: address }, this.#ending.signal);
    const result = fields[0]?.result ?? 'lost';
    if (result === 'refused' || result === 'ignored' || result === 'not-set') {
      // After a no, nothing of ours is to be put back, only what a process that died had set.
      if (result !== 'not-set') await this.#note(this.#leftover);
      tell({ type: 'not-taken', why: failure?.message ?? 'it ignored the field' });
      return;
    }
    hints.listen(this.#listener);
    tell({ type: 'set', to: withoutPath(address), port: this.#listener.port, before, result });
  }

  async #note(set: WebhookRecord['set']): Promise<void> {
    const { ledger, open, owner } = this.#request;
    this.#set = set;
    await ledger.noteWebhook(realmOf(open), owner, set);
  }

  /** What to put back in the end. What a process that died had set is not what was there before. */
  async #before(): Promise<WebhookBefore> {
    const { open, wish } = this.#request;
    if (wish.restore !== undefined) return { type: 'known', url: wish.restore };
    const { webhookUrl } = await readProfilePatiently(open.api, this.#ending.signal);
    const old = this.#leftover;
    if (old !== null && (webhookUrl === undefined || isOurs(old, webhookUrl))) return old.before;
    return webhookUrl === undefined ? { type: 'unknown' } : { type: 'known', url: webhookUrl };
  }

  async #leave(): Promise<void> {
    const { ledger, open, owner, hints, tell } = this.#request;
    this.#ending.abort();
    await this.#asking;
    hints.stop();
    try {
      if (this.#set !== null) {
        const end = await putBack(open, this.#set, AbortSignal.timeout(END_MS));
        tell({ type: 'over', end, before: this.#set.before, isLeftover: this.#set === this.#leftover });
        // The record tells the next process what to put back, also while this one lives.
        if (end === 'away') {
          await ledger.releaseWebhook(realmOf(open), owner);
          return;
        }
      }
      if (this.#listener !== undefined) await ledger.leaveWebhook(realmOf(open), owner);
    } catch {
      // The record stays, and with it what the next process has to do.
    } finally {
      await this.#listener?.close();
    }
  }
}
