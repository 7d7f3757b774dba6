import * as z from 'zod';
import { makesJob, OPERATIONS, type Operation } from '../contract/row-kinds.ts';
import { hashOf } from './draw.ts';
import { SPOILT_SPEECH } from './spoil-speech.ts';

/** Possible replacements for expected media. */
const WRONG_BODIES = ['html', 'json', 'other-media', 'silence', 'endless'] as const;
/** What a download has in place of its media. */
export type WrongBody = (typeof WRONG_BODIES)[number];

/**
 * The faults. `accepted: true` means that the request is still accepted and charged.
 *
 * - `status`: an error answer. `body`: the API's own, a gateway's HTML (`foreign`), or none. `retryAfter` in seconds.
 * - `accept-then-500`: accepted and charged, then a 500.
 * - `soft-error`: 200 with a JSON error.
 * - `html`: 200 with a web page.
 * - `hang`: never an answer.
 * - `reset-before`, `reset-after`: the socket is destroyed before or after acceptance.
 * - `cut`: half of the body, then the socket is destroyed.
 * - `wrong-length`: `Content-Length` is more than what is sent.
 * - `wrong-type`: something else in place of media: `html`, `json` (labelled as media), `other-media`, `silence`: a
 * whole file of digital silence, or `endless`: a small file that hangs any reader without a deadline.
 * - `dead-link`: an expired link; on a read, already in the answer.
 * - `redirect`: a link that redirects to the file.
 * - `late`: the true answer, `ms` later.
 * - `job-fails`, `job-stuck`: how the job ends, or that it never does.
 * - `speaks`: how the speech is spoiled, see `spoil-speech.ts`.
 * - `hears`: what a transcription finds in good speech: no word, or another language.
 * - `unknown-status`: an undocumented status word.
 * - `link-name`: the link to the result stands under this name.
 */
const parts = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('status'),
    status: z.union([400, 401, 402, 403, 404, 409, 413, 422, 429, 500, 502, 503, 504].map((code) => z.literal(code))),
    retryAfter: z.number().min(0).optional(),
    retryAfterAs: z.enum(['seconds', 'date']).default('seconds'),
    body: z.enum(['own', 'foreign', 'empty']).default('own'),
    message: z.string().optional(),
    accepted: z.boolean().default(false),
  }),
  z.strictObject({ kind: z.literal('accept-then-500') }),
  z.strictObject({ kind: z.literal('soft-error'), accepted: z.boolean().default(false) }),
  z.strictObject({ kind: z.literal('html'), accepted: z.boolean().default(false) }),
  z.strictObject({ kind: z.literal('hang'), accepted: z.boolean().default(false) }),
  z.strictObject({ kind: z.literal('reset-before') }),
  z.strictObject({ kind: z.literal('reset-after') }),
  z.strictObject({ kind: z.literal('cut') }),
  z.strictObject({ kind: z.literal('wrong-length') }),
  z.strictObject({ kind: z.literal('wrong-type'), body: z.enum(WRONG_BODIES).default('html') }),
  z.strictObject({ kind: z.literal('dead-link') }),
  z.strictObject({ kind: z.literal('redirect') }),
  z.strictObject({ kind: z.literal('job-fails'), message: z.string().default('The provider could not process it') }),
  z.strictObject({ kind: z.literal('job-stuck') }),
  z.strictObject({ kind: z.literal('late'), ms: z.number().min(0) }),
  z.strictObject({ kind: z.literal('speaks'), as: z.enum(SPOILT_SPEECH) }),
  z.strictObject({ kind: z.literal('hears'), as: z.enum(['nothing', 'other-language']) }),
  z.strictObject({ kind: z.literal('unknown-status'), word: z.string().min(1).default('warming_up') }),
  z.strictObject({ kind: z.literal('link-name'), name: z.string().min(1).default('videoUrl') }),
]);

/** A fault with its settings, or its name alone if it needs none: `'reset-after'` is `{ kind: 'reset-after' }`. */
const fault = z.preprocess((value) => (typeof value === 'string' ? { kind: value } : value), parts);

/**
 * Where a rule applies: `create` is any paid request, `read` a job by id, `download` a result link, `delete` a voice.
 */
export const FAULT_POINTS = ['create', 'read', 'list', 'download', 'profile', 'delete'] as const;
/** The kind of request that a rule applies to. */
export type FaultPoint = (typeof FAULT_POINTS)[number];

/** Faults that make sense only at some points; all others can happen anywhere. */
const ONLY_AT: Readonly<Record<string, readonly FaultPoint[]>> = {
  'accept-then-500': ['create', 'delete'],
  'reset-after': ['create', 'delete'],
  'job-fails': ['create'],
  'job-stuck': ['create'],
  speaks: ['create'],
  hears: ['create'],
  'unknown-status': ['create', 'read'],
  'dead-link': ['read', 'download'],
  'link-name': ['read'],
  redirect: ['download'],
  'wrong-type': ['create', 'download'],
};

/**
 * Whether a paid request of this operation can meet a fault: a job's fate needs a job, wrong media an answer that is
 * media.
 */
const ONLY_FOR: Readonly<Partial<Record<Fault['kind'], (operation: Operation) => boolean>>> = {
  'job-fails': makesJob,
  'job-stuck': makesJob,
  'unknown-status': makesJob,
  'wrong-type': (operation) => operation === 'speech-sync',
  speaks: (operation) => operation === 'speech-job' || operation === 'speech-sync',
  hears: (operation) => operation === 'transcription',
};

const rule = z
  .strictObject({
    on: z.enum(FAULT_POINTS),
    /** Only this operation; default any. */
    operation: z.enum(OPERATIONS).optional(),
    /** All given conditions must hold. None given: every request. */
    match: z
      .strictObject({
        /** A substring of the row's text or of one of its URLs. */
        text: z.string().min(1).optional(),
        /** Only the n-th request, from 1, that `on`, `operation` and `text` select. */
        nth: z.int().min(1).optional(),
        /** Every n-th of them. */
        every: z.int().min(1).optional(),
        /** This share of them, 0 to 1, drawn from the seed. */
        share: z.number().min(0).max(1).optional(),
      })
      .default({}),
    fault,
    /** How often the rule applies at most; default: no limit. */
    times: z.int().min(1).optional(),
  })
  .superRefine((value, context) => {
    const points = ONLY_AT[value.fault.kind];
    if (points !== undefined && !points.includes(value.on)) {
      context.addIssue({
        code: 'custom',
        path: ['fault'],
        message: `${value.fault.kind} happens on ${points.join(' or ')} only; got ${value.on}`,
      });
    }
    if (value.operation === undefined || canHappen(value.fault, { on: value.on, operation: value.operation })) return;
    const operations = OPERATIONS.filter((operation) => ONLY_FOR[value.fault.kind]?.(operation));
    context.addIssue({
      code: 'custom',
      path: ['operation'],
      message: `${value.fault.kind} on create happens to ${operations.join(' or ')} only; got ${value.operation}`,
    });
  });

/** The faults of a simulator run. Unknown members are errors. */
export const faultPlanSchema = z.strictObject({
  /** The first rule that matches a request applies. */
  rules: z.array(rule).default([]),
  /** Whether the lip-sync list echoes the jobs' inputs; `drawn` decides per answer. Default `drawn`. */
  echoInputs: z.union([z.boolean(), z.literal('drawn')]).default('drawn'),
});

/** A fault plan as written. */
export type FaultPlan = z.input<typeof faultPlanSchema>;
/** A fault plan after parsing, with defaults filled in. */
export type ReadyFaultPlan = z.output<typeof faultPlanSchema>;
/** What goes wrong with one request, with its parameters. */
export type Fault = z.output<typeof parts>;

/** Parses a fault plan; throws an error that names every wrong member. */
export function parseFaultPlan(value: unknown): ReadyFaultPlan {
  const result = faultPlanSchema.safeParse(value);
  if (!result.success) throw new Error(`fault plan: ${z.prettifyError(result.error)}`);
  return result.data;
}

/** The part of a request that rules match. */
export interface FaultTarget {
  readonly on: FaultPoint;
  readonly operation: Operation | null;
  /** The texts and URLs of the row. */
  readonly subject: string;
}

/**
 * Applies a plan to requests as they arrive. Each rule counts separately; the same seed and order give the same faults.
 */
export class FaultDrawer {
  readonly #plan: ReadyFaultPlan;
  readonly #seed: number;
  /** By rule: requests that it selected, and how often it applied. */
  readonly #seen: number[];
  readonly #acted: number[];

  constructor(plan: ReadyFaultPlan, seed: number) {
    this.#plan = plan;
    this.#seed = seed;
    this.#seen = plan.rules.map(() => 0);
    this.#acted = plan.rules.map(() => 0);
  }

  get echoInputs(): boolean | 'drawn' {
    return this.#plan.echoInputs;
  }

  /** Counts the request and returns its fault, if any. */
  next(target: FaultTarget): Fault | null {
    let chosen: Fault | null = null;
    for (const [index, { on, operation, match, fault: candidate, times }] of this.#plan.rules.entries()) {
      if (on !== target.on || (operation !== undefined && operation !== target.operation)) continue;
      if (match.text !== undefined && !target.subject.includes(match.text)) continue;
      if (!canHappen(candidate, target)) continue;
      const seen = (this.#seen[index] = (this.#seen[index] ?? 0) + 1);
      if (chosen !== null) continue;
      if (match.nth !== undefined && seen !== match.nth) continue;
      if (match.every !== undefined && seen % match.every !== 0) continue;
      if (match.share !== undefined && hashOf(this.#seed, 'fault', index, seen) / 2 ** 32 >= match.share) continue;
      const acted = this.#acted[index] ?? 0;
      if (times !== undefined && acted >= times) continue;
      this.#acted[index] = acted + 1;
      chosen = candidate;
    }
    return chosen;
  }
}

/** Returns whether a fault makes sense for a request. */
function canHappen(fault: Fault, { on, operation }: Pick<FaultTarget, 'on' | 'operation'>): boolean {
  return on !== 'create' || operation === null || (ONLY_FOR[fault.kind]?.(operation) ?? true);
}
