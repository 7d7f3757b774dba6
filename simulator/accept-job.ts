import { newRequestId } from './answer.ts';
import type { LedgerEntry } from './charge-ledger.ts';
import type { Fate } from './deliver.ts';
import type { Draw } from './draw.ts';
import type { Job } from './jobs.ts';
import type { MediaResult, Sound } from './media-result.ts';
import type { Service } from './service.ts';

/** Share of a job's duration spent in the queue. */
const QUEUED_SHARE = 0.25;

/** The inputs of a new job. */
export interface JobOrder {
  readonly operation: Job['operation'];
  /** Credits, charged at once, even for a job that will fail. */
  readonly cost: number;
  readonly format: MediaResult['format'];
  /** Texts and URLs that the rules of a fault plan match. */
  readonly subject: string;
  readonly sound: Sound;
  /** Inputs as the ledger and the list show them. */
  readonly inputs: Pick<LedgerEntry, 'text' | 'voiceId' | 'videoUrl' | 'audioUrl'>;
  readonly idempotencyKey: string | null;
}

/** Accepts a job: draws its duration and outcome, charges it, and starts its clock. */
export function acceptJob(
  service: Service,
  draw: Draw,
  fate: Fate,
  order: JobOrder,
): { readonly job: Job; readonly charge: LedgerEntry } {
  const { operation, cost, format, subject, sound, inputs } = order;
  const createdAt = Date.now();
  const [low, high] = service.settings.jobMs;
  const duration = service.settings.jobDistribution === 'uniform' ? draw.uniform(low, high) : draw.lognormal(low, high);
  const id = service.jobs.newId();
  const result: MediaResult = { file: `${id}.${format}`, format, operation, subject, sound };
  const startsAt = createdAt + duration * QUEUED_SHARE;
  const hasExpired = sound.expires !== null && sound.expires < startsAt;
  const planned = fate?.kind === 'job-fails' ? fate.message : null;
  const job: Job = {
    id,
    operation,
    requestId: newRequestId(),
    createdAt,
    startsAt,
    finishesAt: fate?.kind === 'job-stuck' ? Infinity : createdAt + duration,
    failure: hasExpired ? 'The link to the audio had expired before the job could fetch it' : planned,
    credits: cost,
    result,
    ...(inputs.videoUrl === undefined ? {} : { videoUrl: inputs.videoUrl }),
    ...(inputs.audioUrl === undefined ? {} : { audioUrl: inputs.audioUrl }),
  };
  service.jobs.add(job);
  if (service.settings.fetchMedia) fetchFirst(service, job);
  else service.webhooks.accepted(job);
  service.keep(result);
  const charge = service.charge({
    operation,
    ...(draw.dialect === 'legacy' ? { dialect: 'legacy' } : {}),
    jobId: id,
    credits: cost,
    idempotencyKey: order.idempotencyKey,
    requestId: job.requestId,
    ...inputs,
  });
  return { job, charge };
}

/** Delays the end of a job, and its webhooks, until its media were fetched; the fetch begins when the job starts. */
function fetchFirst(service: Service, job: Job): void {
  const { startsAt, finishesAt, videoUrl, audioUrl } = job;
  const urls = [videoUrl, audioUrl].filter((url) => url !== undefined && isForeign(service, url)) as string[];
  if (urls.length === 0) {
    service.webhooks.accepted(job);
    return;
  }
  job.finishesAt = Infinity;
  setTimeout(() => {
    void service.mediaFetches.fetchAll(urls).then((failure) => {
      job.failure ??= failure;
      job.finishesAt = Math.max(finishesAt, Date.now());
      service.webhooks.accepted(job);
    });
  }, startsAt - Date.now()).unref();
}

/** Returns whether a link leads elsewhere than to the simulator's own media. */
export function isForeign({ links }: Pick<Service, 'links'>, url: string): boolean {
  return new URL(url).origin !== links.origin;
}
