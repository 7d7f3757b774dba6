import type { BatchComparison } from '../batches/compare/compare-batches.ts';
import type { SingleJob } from '../batches/single/single-job.ts';
import type { Pruned, PruneCriteria } from '../batches/cache/prune-cache.ts';
import type { BatchRecord } from '../ledger/batches/batch-records.ts';
import type { CacheSums } from '../ledger/cache/cache-sums.ts';
import { accountFunctions, type AccountFunctions } from './account/account-functions.ts';
import { batchNamed, type Batch, type BatchInvocation } from './batch.ts';
import { checkConfig, checkHome } from './check-options.ts';
import { compareByName, type CompareOptions } from './compare/compare.ts';
import { runChecks, type Finding } from './doctor/doctor.ts';
import { type VoxbatchOptions, accessOf, settingsOf, webhookSettingsOf } from './read-options.ts';
import { pruneCacheAndUploads, sumCache } from './cache/cache.ts';
import { runFunctions, type RunFunctions } from './run/run-functions.ts';
import { Session } from './session.ts';
import type { Settings } from './settings.ts';
import type { SingleAnswer, SingleJobOptions } from './single/single-answer.ts';
import {
  lipSyncJob,
  sayJob,
  transcribeJob,
  type SpeechOptions,
  type TranscriptOptions,
} from './single/build-single-job.ts';
import { voiceFunctions, type VoiceFunctions } from './voices/voice-functions.ts';
import type { BatchRunner, BatchRunnerRequest } from './work/batch-runner.ts';

/** Options of a single text. */
export type SayOptions = SingleJobOptions & SpeechOptions & { readonly voice: string };

/** Options of a single recording. */
export type TranscribeOptions = SingleJobOptions & TranscriptOptions;

/** Options of a single lip-sync. */
export type LipSyncOptions = SingleJobOptions & Pick<SpeechOptions, 'api'>;

/** An open voxbatch instance. Call {@link Voxbatch.close} in the end. */
export interface Voxbatch extends RunFunctions, VoiceFunctions, AccountFunctions {
  /**
   * Speaks one text, as a batch of one row, and waits for the result. Repeating the call resumes it or returns the
   * finished result, and charges nothing twice. Throws {@link VoxbatchError}.
   */
  say(text: string, options: SayOptions): Promise<SingleAnswer>;
  /** Transcribes one recording, in the same way. `audio`: a URL that the API can fetch. */
  transcribe(audio: string, options?: TranscribeOptions): Promise<SingleAnswer>;
  /** Lip-syncs one video to an audio track, in the same way. Both are URLs that the API can fetch. */
  lipSync(sources: { readonly video: string; readonly audio: string }, options?: LipSyncOptions): Promise<SingleAnswer>;
  /**
   * Checks a run's prerequisites: Node, disk, ffmpeg, ledger, Temporal, API, account, and on a cluster the workers.
   * Spends nothing.
   */
  doctor(): Promise<readonly Finding[]>;
  /** All batches of the ledger. */
  list(): Promise<readonly BatchRecord[]>;
  /**
   * Compares two batches of one manifest row by row, from the ledger and stored files. Rows are paired by id, otherwise
   * by their inputs. In the answer's pairs, `one` comes first. Sends nothing. Throws {@link VoxbatchError}.
   */
  compare(one: string, other: string, options?: CompareOptions): Promise<BatchComparison>;
  /** Sums over the results that later rows can reuse. */
  cache(): Promise<CacheSums>;
  /**
   * Removes results that have not been used recently: their files in the store and their cache entries. Results that an
   * open batch has or will look for stay, as do bills and out folders. With `isDryRun`, only reports what would be
   * removed.
   */
  pruneCache(criteria: PruneCriteria & { readonly isDryRun?: boolean }): Promise<Pruned>;
  /** A batch of the ledger. Its functions throw {@link VoxbatchError} (`no-batch`) if there is none of this name. */
  batch(name: string): Batch;
  /**
   * Drains the requests in flight, then leaves Temporal and closes the ledger. Open batches resume when they are run
   * again.
   */
  close(): Promise<void>;
}

/** Opens voxbatch. Nothing is started or created before it is needed. Throws {@link VoxbatchError} (`bad-option`). */
export function openVoxbatch(options: VoxbatchOptions): Voxbatch {
  const { home, config = {} } = options;
  checkHome(home);
  checkConfig(config);
  const { say = () => undefined } = options;
  const settings = settingsOf(options);
  const ending = new AbortController();
  const session = new Session({
    settings,
    access: () => accessOf(options),
    ledger: { mustExist: false, thread: true },
    waiting: { say, signal: ending.signal },
  });
  const webhooks = { webhook: webhookSettingsOf(options), onWebhook: options.onWebhook };
  const runner = lazyRunner({ session, settings, say, signal: ending.signal, ...webhooks });

  const invocation = invocationOf(session, say, runner, ending.signal);
  const single = async (job: SingleJob, jobOptions: SingleJobOptions): Promise<SingleAnswer> => {
    const { runSingleJob } = await import('./single/run-single-job.ts');
    return runSingleJob(job, jobOptions, { session, runner: () => runner.get(), ending: ending.signal });
  };

  return {
    ...runFunctions({ ...invocation, webhook: webhooks.webhook }),
    say: (text, jobOptions) => single(sayJob(text, jobOptions), jobOptions),
    transcribe: (audio, jobOptions = {}) => single(transcribeJob(audio, jobOptions), jobOptions),
    lipSync: (sources, jobOptions = {}) => single(lipSyncJob(sources, jobOptions), jobOptions),
    ...voiceFunctions(session, single),
    ...accountFunctions(session),
    compare: async (one, other, compareOptions) => compareByName(session, [one, other], compareOptions),
    cache: () => sumCache(session),
    pruneCache: (criteria) => pruneCacheAndUploads(session, criteria),
    doctor: async () => {
      const findings: Finding[] = [];
      for await (const finding of runChecks(session, say)) findings.push(finding);
      return findings;
    },
    list: async () => (await session.ledger()).listBatches(),
    batch: (name) => batchNamed(name, invocation),
    close: async () => {
      ending.abort();
      await runner.leave();
      await session.close();
    },
  };
}

/** The dependencies of batches. The runner works on them until the signal aborts. */
function invocationOf(
  session: Session,
  say: (line: string) => void,
  runner: LazyRunner,
  ending: AbortSignal,
): BatchInvocation {
  const invocation: BatchInvocation = {
    session,
    say,
    work: async (record, isNew, out) => {
      const batchRunner = await runner.get();
      const started = await batchRunner.start(record, { isNew });
      const until = (signal?: AbortSignal): AbortSignal =>
        AbortSignal.any([ending, batchRunner.fault, ...(signal === undefined ? [] : [signal])]);
      return {
        ...batchNamed(record.name, invocation),
        out,
        follow: ({ signal } = {}) =>
          batchRunner.follow(started, { out, waitWhilePaused: false, signal: until(signal) }),
      };
    },
  };
  return invocation;
}

interface RunnerNeeds extends Pick<BatchRunnerRequest, 'webhook' | 'onWebhook'> {
  readonly session: Session;
  readonly settings: Settings;
  readonly say: (line: string) => void;
  /** Aborts opening. */
  readonly signal: AbortSignal;
}

interface LazyRunner {
  get(): Promise<BatchRunner>;
  leave(): Promise<void>;
}

/** A batch runner that is opened on first use, and retried if that failed. */
function lazyRunner({ session, settings, say, signal, ...webhooks }: RunnerNeeds): LazyRunner {
  let opening: Promise<BatchRunner> | undefined;
  const open = async (): Promise<BatchRunner> => {
    const [ledger, store, api] = [await session.ledger(), await session.store(), await session.api()];
    // The worker is slow to load, and read-only callers need none.
    const { BatchRunner } = await import('./work/batch-runner.ts');
    const batchRunner = new BatchRunner({ settings, ledger, store, open: api, worker: 'own', say, ...webhooks });
    try {
      await batchRunner.open(signal);
      return batchRunner;
    } catch (error) {
      opening = undefined;
      await batchRunner.leave();
      throw error;
    }
  };
  return {
    get: () => (opening ??= open()),
    leave: async () => {
      const batchRunner = await opening?.catch(() => undefined);
      await batchRunner?.leave();
    },
  };
}
