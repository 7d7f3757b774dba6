import { randomUUID } from 'node:crypto';
import type { Account } from './account.ts';
import { Draw, hashOf } from './draw.ts';
import type { Job } from './jobs.ts';
import type { ReadySettings } from './settings.ts';
import type { FixedShape, Variant } from './shapes.ts';
import type { Statistics } from './statistics.ts';
import { WEBHOOK_MODES, type WebhookMode } from './webhook-modes.ts';

const MODES = WEBHOOK_MODES.filter((mode) => mode !== 'drawn');
/** Max delay of a late webhook, in ms. */
const LATEST_MS = 2_000;
/** Max timer delay, in ms. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** Time limit for a receiver's answer, in ms. */
const TIMEOUT_MS = 5_000;

/** A webhook that is due. */
interface Due {
  /** Returns when it is due, ms since 1970. */
  readonly at: (job: Job) => number;
  /** The job id to report. Default: the true one. */
  readonly id?: string;
  /** Path segment appended to the account's address. */
  readonly beside?: string;
}

/**
 * Sends job events to the account's address, if it has one. The contract does not define when, how often and in which
 * form, so all of that is drawn. Nothing waits for a webhook, and none is retried.
 */
export class Webhooks {
  readonly #account: Account;
  readonly #settings: ReadySettings;
  readonly #shape: FixedShape;
  readonly #statistics: Statistics;
  readonly #timers = new Set<NodeJS.Timeout>();
  #jobs = 0;

  constructor(account: Account, settings: ReadySettings, shape: FixedShape, statistics: Statistics) {
    this.#account = account;
    this.#settings = settings;
    this.#shape = shape;
    this.#statistics = statistics;
  }

  /** Schedules the webhooks of a job that was accepted. */
  accepted(job: Job): void {
    this.#jobs += 1;
    const draw = new Draw(hashOf(this.#settings.seed, 'webhook', this.#jobs), this.#shape);
    const { webhooks } = this.#settings;
    const mode = webhooks === 'drawn' ? (MODES[Math.floor(draw.fraction() * MODES.length)] ?? 'each') : webhooks;
    for (const due of duesOf(mode, draw)) this.#arm(job, due, draw);
  }

  /** Stops sending. */
  close(): void {
    for (const timer of this.#timers) clearTimeout(timer);
    this.#timers.clear();
  }

  #arm(job: Job, due: Due, draw: Draw): void {
    const body = draw.shape('webhook.body');
    const type = draw.shape('webhook.type');
    // Stuck jobs get none. A hastened job's webhook comes late.
    const wait = Math.max(0, due.at(job) - Date.now());
    if (wait > MAX_TIMER_MS) return;
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      void this.#send(due, bodyOf(body, due.id ?? job.id, job), type);
    }, wait).unref();
    this.#timers.add(timer);
  }

  async #send({ beside = '' }: Due, form: Form, type: Variant<'webhook.type'>): Promise<void> {
    const { webhookUrl } = this.#account;
    if (webhookUrl === null) return;
    const url = new URL(webhookUrl + beside);
    for (const [name, value] of Object.entries(form.query ?? {})) url.searchParams.append(name, value);
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body: Buffer.from(form.text),
        headers: { ...form.headers, ...(type === 'given' ? { 'content-type': form.type } : {}) },
        redirect: 'manual',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      await answer.body?.cancel();
      this.#statistics.countAnswer('webhook', answer.status);
    } catch {
      this.#statistics.countAnswer('webhook', 'none');
    }
  }
}

/** Returns when webhooks are sent for a job. */
function duesOf(mode: Exclude<WebhookMode, 'drawn'>, draw: Draw): readonly Due[] {
  const end: Due = { at: ({ finishesAt }) => finishesAt };
  const share = draw.fraction();
  const before: Due = { at: ({ createdAt, finishesAt }) => createdAt + share * 0.9 * (finishesAt - createdAt) };
  switch (mode) {
    case 'each':
      return [end];
    case 'early':
      return [before];
    case 'late':
      return [{ at: ({ finishesAt }) => finishesAt + share * LATEST_MS }];
    case 'twice':
      return [before, end];
    case 'forged':
      return [{ ...before, id: randomUUID() }, { ...before, beside: '-' }, before, end];
    case 'never':
      return [];
  }
}

/** The content of a webhook. */
interface Form {
  readonly text: string;
  readonly type: string;
  /** Query to add to the address. */
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A webhook's content, in one of several forms. */
function bodyOf(form: Variant<'webhook.body'>, id: string, job: Job): Form {
  const ended = job.failure === null ? 'completed' : 'failed';
  const status = Date.now() < job.finishesAt ? 'processing' : ended;
  const json = (value: unknown): Form => ({ text: JSON.stringify(value), type: 'application/json' });
  switch (form) {
    case 'id':
      return json({ id });
    case 'job-status':
      return json({ jobId: id, status });
    case 'nested':
      return json({ event: `job.${status}`, sentAt: new Date().toISOString(), data: { task: { taskId: id, status } } });
    case 'form':
      return {
        text: new URLSearchParams({ task_id: id, status }).toString(),
        type: 'application/x-www-form-urlencoded',
      };
    case 'query':
      return { ...json({ status }), query: { task_id: id } };
    case 'header':
      return { ...json({ status }), headers: { 'x-task-id': id } };
    case 'text':
      return { text: `Job ${id} is ${status}.`, type: 'text/plain' };
  }
}
