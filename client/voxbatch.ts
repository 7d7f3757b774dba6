import { resolve } from 'node:path';
import { chooseSettings, type WantedBatch } from '../batches/batch-settings.ts';
import { nameFromFile } from '../batches/batch-name.ts';
import { spendFacts } from '../batches/bill-lines.ts';
import type { TakenName } from '../batches/load-batch.ts';
import { openManifest } from '../inputs/manifest-source.ts';
import { checkManifest, type CheckedManifest, type OutcomeFile } from '../inputs/read-manifest.ts';
import type { BatchRecord } from '../ledger/record-types.ts';
import { decideSpend, type SpendFacts, type SpendRefusal } from '../policy/spend.ts';
import { batchNamed, type Batch } from './batch.ts';
import { checkConfig, checkPlaces, checkWanted } from './check-options.ts';
import type { FollowEvent } from './follow.ts';
import type { OpenApi } from './open-api.ts';
import { accessOf, settingsOf, type VoxbatchOptions } from './options.ts';
import { putOnRecord } from './put-on-record.ts';
import { Session } from './session.ts';
import type { Workplace } from './workplace.ts';

/** How a manifest is run. What is left out is as in the configuration. */
export interface RunOptions extends WantedBatch {
  /** Default: made from the manifest's file name. */
  readonly name?: string;
  /** Folder of its files. Default `out/NAME`. */
  readonly out?: string;
  /** Asked before a bill above `confirmAbove` of the configuration is paid. Default: such a bill is refused. */
  readonly confirm?: (facts: SpendFacts) => boolean | Promise<boolean>;
}

/** A batch that is worked on. */
export interface RunningBatch extends Batch {
  /** Folder of its files. Absolute. */
  readonly out: string;
  /**
   * Follows it to its end, or until it pauses, and links its media to the out folder as they come. The last event is `ended`. `signal` ends
   * following, never the batch.
   */
  follow(options?: { readonly signal?: AbortSignal }): AsyncIterable<FollowEvent>;
}

/**
 * What became of a manifest. `finished`: every row of the batch ended before. `refused`, `declined`: it may not be paid for. In all but the
 * first two cases nothing was spent, and nothing is on record.
 */
export type RunAnswer =
  | { readonly is: 'running'; readonly batch: RunningBatch }
  | { readonly is: 'finished'; readonly batch: Batch }
  | Extract<CheckedManifest, { readonly is: 'faulty' }>
  | OutcomeFile
  | TakenName
  | NotApproved;

/** Why a batch may not be paid for: by its bill, or because `confirm` said no. */
export type NotApproved =
  | { readonly is: 'refused'; readonly why: SpendRefusal; readonly facts: SpendFacts }
  | { readonly is: 'declined'; readonly facts: SpendFacts };

/** An open voxbatch. Close it in the end. */
export interface Voxbatch {
  /** Reads a manifest, checks and prices every row. Sends nothing. */
  check(manifest: string, wanted?: WantedBatch): Promise<CheckedManifest>;
  /**
   * Makes a manifest a batch and has it worked on. The same again continues it, and pays for nothing twice. Throws {@link VoxbatchError}
   * where something is in the way.
   */
  run(manifest: string, options?: RunOptions): Promise<RunAnswer>;
  /** All batches of the ledger. */
  list(): Promise<readonly BatchRecord[]>;
  /** A batch of the ledger. Its functions throw {@link VoxbatchError} (`no-batch`) where there is none of this name. */
  batch(name: string): Batch;
  /** Lets requests on the wire finish, then leaves Temporal and closes the ledger. Open batches go on when they are run again. */
  close(): Promise<void>;
}

/** Opens voxbatch. Nothing is started or made before it is needed. Throws {@link VoxbatchError} (`bad-option`). */
export function openVoxbatch(options: VoxbatchOptions): Voxbatch {
  const { home, ledger: file, store: folder, config = {} } = options;
  checkPlaces({ home, ledger: file, store: folder, 'config.store': config.store });
  checkConfig(config);
  const { say = () => undefined } = options;
  const settings = settingsOf(options);
  const session = new Session({
    settings,
    access: () => accessOf(options),
    ledger: { mustExist: false, thread: true },
  });
  const ending = new AbortController();
  let opening: Promise<Workplace> | undefined;

  const openWorkplace = async (): Promise<Workplace> => {
    const [ledger, store, open] = [await session.ledger(), await session.store(), await session.api()];
    // The worker takes long to load, and who only looks needs none.
    const { Workplace } = await import('./workplace.ts');
    const place = new Workplace({ settings, ledger, store, open, startsOnly: false, say });
    try {
      await place.open(ending.signal);
      return place;
    } catch (error) {
      opening = undefined;
      await place.leave();
      throw error;
    }
  };

  const work = async (record: BatchRecord, isNew: boolean, out: string): Promise<RunningBatch> => {
    const place = await (opening ??= openWorkplace());
    const started = await place.start(record, { isNew });
    return {
      ...batchNamed(record.name, session, say),
      out,
      follow: ({ signal } = {}) =>
        place.follow(started, {
          out,
          waitWhilePaused: false,
          signal: AbortSignal.any([ending.signal, place.fault, ...(signal === undefined ? [] : [signal])]),
        }),
    };
  };

  return {
    check: async (manifest, wanted = {}) => {
      checkWanted(wanted);
      const source = await openManifest(manifest);
      const choices = chooseSettings(wanted, settings.config);
      return checkManifest(source, choices.manifest, choices.settings.budget).finally(() => source.close());
    },
    run: async (manifest, wanted = {}) => {
      const { name = nameFromFile(manifest), confirm } = wanted;
      checkWanted(wanted, name);
      const out = resolve(wanted.out ?? `out/${name}`);
      const choices = chooseSettings(wanted, settings.config);
      const source = await openManifest(manifest);
      try {
        const checked = await checkManifest(source, choices.manifest, choices.settings.budget);
        if (checked.is !== 'sound') return checked;
        const found: { refusal?: NotApproved } = {};
        const confirmAbove = settings.config.confirmAbove ?? null;
        const personAt = ({ profile }: OpenApi): Pick<SpendFacts, 'balance' | 'yes' | 'canAsk'> => {
          return { balance: profile.quotaRemaining ?? null, yes: false, canAsk: confirm !== undefined };
        };
        const approves = async (facts: NotApproved['facts']): Promise<boolean> => {
          const decision = decideSpend(facts);
          if (decision.do === 'refuse') found.refusal = { is: 'refused', why: decision.why, facts };
          else if (decision.do === 'ask' && !(await confirm?.(facts))) found.refusal = { is: 'declined', facts };
          return found.refusal === undefined;
        };
        const recorded = await putOnRecord({
          session,
          source,
          checked,
          plan: { ...planOf(wanted), name, out, settings: choices.settings },
          approve: async (open) => {
            const facts = spendFacts(checked.summary, { settings: choices.settings, confirmAbove }, personAt(open));
            return (await approves(facts)) ? checked : undefined;
          },
          approveMore: ({ rows, bill, isEstimate, budget }, open) =>
            approves({ rows, bill, isEstimate, budget, confirmAbove, ...personAt(open) }),
        });
        if (found.refusal !== undefined) return found.refusal;
        if (recorded.is === 'declined') throw new Error('What is declined has a reason.');
        if (recorded.is === 'taken') return recorded;
        const { batch } = recorded;
        if (batch.state === 'closed') return { is: 'finished', batch: batchNamed(name, session, say) };
        return { is: 'running', batch: await work(batch, recorded.is === 'new', out) };
      } finally {
        await source.close();
      }
    },
    list: async () => (await session.ledger()).listBatches(),
    batch: (name) => batchNamed(name, session, say),
    close: async () => {
      ending.abort();
      const place = await opening?.catch(() => undefined);
      await place?.leave();
      await session.close();
    },
  };
}

/** What was given that holds for a batch that is there, too. */
function planOf(wanted: RunOptions): {
  givesReading: boolean;
  givesTemplate: boolean;
  tuning: NonNullable<WantedBatch['tuning']>;
} {
  const { kind, defaults = {}, map = {}, tts = 'job', nameTemplate, tuning = {} } = wanted;
  const isRead = kind !== undefined || tts !== 'job' || Object.keys({ ...defaults, ...map }).length > 0;
  return { givesReading: isRead, givesTemplate: nameTemplate !== undefined, tuning };
}
