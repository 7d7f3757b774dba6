import type { Fate } from './deliver.ts';
import type { Draw } from './draw.ts';
import { type Job, phaseOf, type Phase } from './jobs.ts';
import type { Service } from './service.ts';
import { SHAPES } from './shapes.ts';

/** The status words of each phase of a job. */
const WORDS_OF: Readonly<Record<Phase, readonly string[]>> = {
  waiting: SHAPES['word.waiting'],
  processing: ['processing'],
  done: SHAPES['word.done'],
  failed: SHAPES['word.failed'],
};

/** All status words that an answer may use. */
export const STATUS_WORDS: readonly string[] = Object.values(WORDS_OF).flat();

/** Returns true if a status word stands for this phase. */
export function isWordOf(word: string, phase: Phase): boolean {
  return WORDS_OF[phase].includes(word);
}

/** What an answer says about a job: its status word and, once it has ended, a link or an error. */
export interface JobStatus {
  readonly phase: Phase;
  readonly status: string;
  /** A fresh link to the result of a job that is done. */
  readonly link: string | null;
  /** The link's name as set by a planned fault; null for one of the usual names. */
  readonly linkName: string | null;
  /** Members of the answer that say why the job failed; empty otherwise. */
  readonly error: Readonly<Record<string, unknown>>;
}

/**
 * Returns what an answer says about a job now. `created`: it answers the creation, and always says that the job waits.
 * `fate`: a planned unknown word hides the end of the job; a planned dead link has already expired; a planned link name
 * replaces the usual ones.
 */
export function jobStatusOf(service: Service, job: Job, fate: Fate, draw: Draw, created: boolean): JobStatus {
  const phase = created ? 'waiting' : phaseOf(job, Date.now());
  const linkName = fate?.kind === 'link-name' ? fate.name : null;
  const none = { link: null, linkName, error: {} };
  if (fate?.kind === 'unknown-status') return { ...none, phase: 'processing', status: fate.word };
  const isNewLegacy = created && draw.dialect === 'legacy';
  const status = isNewLegacy ? draw.shape('legacy.created') : statusWord(phase, draw);
  if (phase === 'failed') return { ...none, phase, status, error: errorMembers(job.failure ?? '', draw) };
  const life = fate?.kind === 'dead-link' ? -1000 : undefined;
  return { ...none, phase, status, link: phase === 'done' ? service.links.make(job.result.file, life).url : null };
}

function statusWord(phase: Phase, draw: Draw): string {
  switch (phase) {
    case 'waiting':
      return draw.shape('word.waiting');
    case 'processing':
      return 'processing';
    case 'done':
      return draw.shape('word.done');
    case 'failed':
      return draw.shape('word.failed');
  }
}

function errorMembers(message: string, draw: Draw): Record<string, unknown> {
  const variant = draw.shape('job.error');
  switch (variant) {
    case 'error_message':
    case 'errorMessage':
    case 'message':
    case 'error':
      return { [variant]: message };
    case 'code-message':
      return { code: 'ERR_PROVIDER_FAILED', message };
    case 'object':
      return { error: { code: 'ERR_PROVIDER_FAILED', message } };
  }
}
