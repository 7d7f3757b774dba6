import type { WantedBatch } from '../../batches/batch-settings.ts';
import { openManifest, type ManifestSource } from '../../inputs/manifest-source.ts';
import { checkManifest, type CheckedManifest } from '../../inputs/read-manifest.ts';
import type { AccountRead } from '../account/account-functions.ts';
import { batchNamed, type Batch, type BatchInvocation, type RunningBatch } from '../batch.ts';
import { checkWanted } from '../check-options.ts';
import { realmOf } from '../connect-api.ts';
import {
  apiUrlOf,
  choicesFor,
  withLearntLimits,
  withMediaRules,
  checkRun,
  type CheckRequest,
  planOf,
  type RunOptions,
  type RunPlan,
} from './check-run.ts';
import { personOf } from '../person.ts';
import type { WebhookSettings } from '../webhooks/webhook-options.ts';
import { planRun, type PlanAnswer } from './plan.ts';
import { recordBatch, type NotRecorded } from './record-batch.ts';

/**
 * Result of running a manifest. `finished`: every row of the batch had already ended. `refused`, `declined`: payment
 * was not approved. In all but the first two cases nothing was spent or recorded.
 */
export type RunAnswer =
  | { readonly type: 'running'; readonly batch: RunningBatch }
  | { readonly type: 'finished'; readonly batch: Batch }
  | NotRecorded
  | Exclude<CheckedManifest, { readonly type: 'sound' }>;

/** A program's functions for manifests. */
export interface RunFunctions {
  /** Reads a manifest, and validates and prices every row. Sends nothing. */
  check(manifest: string, wanted?: WantedBatch): Promise<CheckedManifest>;
  /**
   * Validates a manifest and works out what {@link run} with the same options would pay for and why: which rows are
   * cached, new or changed, or what is left of its batch. Sends nothing that costs. Throws {@link VoxbatchError}.
   */
  plan(manifest: string, options?: RunOptions): Promise<PlanAnswer>;
  /**
   * Turns a manifest into a batch and starts it. Running it again resumes it and charges nothing twice. Throws {@link
   * VoxbatchError} if it cannot run.
   */
  run(manifest: string, options?: RunOptions): Promise<RunAnswer>;
}

/** Dependencies of runs: where batches are processed, and the webhooks that reach this process. */
interface RunNeeds extends BatchInvocation {
  readonly webhook: WebhookSettings | undefined;
}

/** Creates a program's functions for manifests. */
export function runFunctions({ webhook, ...invocation }: RunNeeds): RunFunctions {
  const { session } = invocation;
  const { settings, access } = session;
  const requestFor = async (source: ManifestSource, plan: RunPlan): Promise<CheckRequest> => {
    return { source, plan, settings, access, apiUrl: await apiUrlOf(session) };
  };
  return {
    check: async (manifest, wanted = {}) => {
      checkWanted(wanted);
      const choices = await choicesFor(manifest, wanted, settings.config);
      return withManifest(manifest, wanted, async (source) => {
        const apiUrl = await apiUrlOf(session);
        const limited = await withLearntLimits(choices, apiUrl, settings);
        const { manifest: read, settings: wantedSettings } = withMediaRules(limited, { settings, apiUrl });
        return checkManifest(source, read, wantedSettings.budget);
      });
    },
    plan: async (manifest, wanted = {}) => {
      const plan = await planOf(manifest, wanted, settings.config);
      const account = realmOf(await session.api());
      const readAccount = (): Promise<AccountRead> =>
        Promise.resolve({ account, balance: { why: 'it was not requested' } });
      const answer = await withManifest(manifest, wanted, async (source) =>
        planRun({ ...(await requestFor(source, plan)), readAccount, yes: false }),
      );
      return answer.type === 'planned' ? answer.view.planned : answer;
    },
    run: async (manifest, wanted = {}) => {
      const plan = await planOf(manifest, wanted, settings.config);
      const answer = await withManifest(manifest, wanted, async (source) => {
        const run = await checkRun(await requestFor(source, plan));
        if (run.type !== 'sound') return run;
        return recordBatch({
          ...run,
          source,
          session,
          person: personOf(wanted.confirm),
          webhook,
          reason: wanted.reason,
        });
      });
      if (answer.type !== 'new' && answer.type !== 'known') return answer;
      const { batch } = answer;
      return batch.state === 'closed'
        ? { type: 'finished', batch: batchNamed(batch.name, invocation) }
        : { type: 'running', batch: await invocation.work(batch, answer.type === 'new', plan.out) };
    },
  };
}

/** Opens a manifest for the duration of a call. */
async function withManifest<T>(
  manifest: string,
  { sheet }: Pick<WantedBatch, 'sheet'>,
  work: (source: ManifestSource) => Promise<T>,
): Promise<T> {
  const source = await openManifest(manifest, { sheet });
  try {
    return await work(source);
  } finally {
    await source.close();
  }
}
