import { createHash } from 'node:crypto';
import type { Profile, Voice, JobReading, ListedJob } from '../../api/speech-api.ts';
import { defined } from '../../contract/defined.ts';
import type { Item } from '../../policy/compare/item-differences.ts';

// Reduce the API's answers to the facts that both dialects (versions of the API) should agree on. Names of facts are
// shown to users. URLs may hold secrets, so only their hashes are kept.

/** Reduces a profile to comparable facts. */
export function profileItem({ userId, tier, quotaRemaining, credits, webhookUrl }: Profile): Item {
  return {
    account: userId,
    ...defined({ tier, api_credits: quotaRemaining, website_credits: credits }),
    ...(webhookUrl === undefined ? {} : { webhook: webhookUrl === null ? 'none' : hashOf(webhookUrl) }),
  };
}

/** Reduces a listed voice to comparable facts. */
export function voiceItem({ name, provider, modelIds }: Voice): Item {
  return {
    name,
    ...(provider === '' ? {} : { provider }),
    ...(modelIds === undefined ? {} : { engines: modelIds.toSorted().join(' ') }),
  };
}

/** Reduces a job to comparable facts. The phase stands for the status, which each dialect words differently. */
export function jobItem({ phase, resultUrl, error, credits }: JobReading): Item {
  return {
    status: phase,
    // A running job has neither, in either dialect.
    ...(phase === 'completed' ? { 'result link': resultUrl !== undefined } : {}),
    ...(phase === 'failed' ? { error: error ?? 'none' } : {}),
    ...defined({ credits }),
  };
}

/** Reduces an entry of the job list to comparable facts. */
export function listedItem({ createdAtMs, videoUrl, audioUrl, ...job }: ListedJob): Item {
  return {
    ...jobItem(job),
    ...(createdAtMs === undefined ? {} : { created: new Date(createdAtMs).toISOString() }),
    ...(videoUrl === undefined ? {} : { video: hashOf(videoUrl) }),
    ...(audioUrl === undefined ? {} : { audio: hashOf(audioUrl) }),
  };
}

function hashOf(text: string): string {
  return `sha256 ${createHash('sha256').update(text).digest('hex').slice(0, 12)}…`;
}
