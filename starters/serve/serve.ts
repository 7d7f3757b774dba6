import { resolve } from 'node:path';
import { defaultOut } from '../../batches/batch-name.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import type { FaultPointHook } from '../../activities/fault-points.ts';
import type { Ledger } from '../../ledger/ledger.ts';
import { startEmbeddedWorker } from '../../client/work/embedded-worker.ts';
import { messageOf } from '../../client/problem.ts';
import { ExitError } from '../exit-error.ts';
import { firstNotice, listenForInterrupt, type Interrupt } from '../run/interrupt.ts';
import { ownNotices } from '../../client/hooks/deliver-notices.ts';
import { lookAfterBatches } from '../../client/work/look-after-batches.ts';
import type { OpenApi } from '../../client/open-api.ts';
import { openApi } from '../connect/open-api.ts';
import { openAdmitted } from '../../client/open-records.ts';
import { claimStore } from '../../client/claim-store.ts';
import { warnOfLittleDisk } from '../../client/work/little-disk.ts';
import { openTemporal, type Temporal } from '../../client/temporal/open-temporal.ts';
import type { Settings } from '../../client/settings.ts';
import { readSettings } from '../connect/settings.ts';
import type { WebhookWish } from '../../client/webhooks/webhook-options.ts';
import type { WebhookNews } from '../../client/webhooks/webhook-news.ts';
import { readWebhook, type WebhookFlags } from '../commands/webhook-flags.ts';
import { webhookNewsWords } from '../terminal/webhook-news.ts';
import { isOpenFor, stayUntil } from './stay-until.ts';
import { confirmStore } from '../trust/confirmed-settings.ts';
import { admittance } from '../trust/admit-ledger.ts';
import { tellHooks, type Telling } from './tell-hooks.ts';
import { writeWhenClosed } from './write-when-closed.ts';
import { logOf, type Output } from '../terminal/output.ts';

export interface ServeFlags extends WebhookFlags {
  readonly apiUrl?: string;
  /** End when no batch of this account is open, or none can go on with this token. */
  readonly untilIdle?: boolean;
  /** A batch whose files are written when it is finished. */
  readonly batch?: string;
  /** Where they go; default `out/<batch>`. */
  readonly out?: string;
  /** Pause between two looks after the open batches, in seconds; default 30. */
  readonly lookEvery?: number;
}

/** How often open batches are looked after, unless the user says otherwise, seconds. */
const LOOK_AFTER_EVERY_S = 30;

/** So long the events of a batch are left to the command that runs it: it writes the files first, which a hook may want, ms. */
const HOOKS_OF_OTHERS_AFTER_MS = 30_000;

/**
 * `voxbatch worker` and `voxbatch up`: work on the batches of this API and account until told to end. Embedded, both join
 * the server of the home and keep it alive; with cluster settings they work for the cluster. SIGTERM and Ctrl-C end it in
 * order, SIGTERM within 40 s: no new work is taken, requests on the wire come home, hooks are told, and the embedded
 * server stops last. `onReady` is called when the worker takes work.
 */
export async function serve(
  flags: ServeFlags,
  context: ServeContext,
  onReady: () => void = () => undefined,
): Promise<ExitName> {
  const { output } = context;
  const webhook = readWebhook(flags);
  const settings = await confirmStore(await readSettings(), {});
  let temporal: Temporal | undefined;
  const interrupt = listenForInterrupt(
    (exit) => {
      output.say(firstNotice(exit));
    },
    () => {
      output.say('Ended at once. To continue, run the same command again.');
      temporal?.closeAtOnce();
    },
  );
  const fault = new AbortController();
  const caring: Promise<void>[] = [];
  const signal = AbortSignal.any([interrupt.signal, fault.signal]);
  const onFault = (error: Error): void => {
    fault.abort(error);
  };
  try {
    const open = await openApi(settings, flags);
    const ledger = await openAdmitted(settings, { mustExist: false, thread: true }, admittance(settings, {}, output));
    await warnOfLittleDisk(settings, output.say);
    temporal = await openTemporal(settings, { say: output.say, signal });
    try {
      await work({
        flags,
        webhook,
        context,
        settings,
        open,
        ledger,
        temporal,
        signal,
        onFault,
        onReady,
        interrupt,
        caring,
      });
    } finally {
      await temporal.close();
      await Promise.allSettled(caring);
      await ledger.close();
      open.api.close();
    }
    if (fault.signal.aborted)
      throw new ExitError(
        'unreachable',
        `${messageOf(fault.signal.reason)}\nNothing is lost; fix that, then start again.`,
      );
    return interrupt.signal.aborted && interrupt.exit() === 'interrupted' ? 'interrupted' : 'complete';
  } finally {
    interrupt.dispose();
  }
}

interface ServeContext {
  readonly output: Output;
  readonly atFaultPoint?: FaultPointHook;
}

interface Work {
  readonly flags: ServeFlags;
  readonly webhook: WebhookWish | undefined;
  readonly context: ServeContext;
  readonly settings: Settings;
  readonly open: OpenApi;
  readonly ledger: Ledger;
  readonly temporal: Temporal;
  /** Ends the work. */
  readonly signal: AbortSignal;
  readonly onFault: (error: Error) => void;
  readonly onReady: () => void;
  readonly interrupt: Pick<Interrupt, 'patienceMs'>;
  /** Gets what may still ask Temporal when the work has ended, and ends when Temporal is closed at the latest. */
  readonly caring: Promise<void>[];
}

/** Works until the signal, or until nothing is left to do, and looks after open batches meanwhile. */
async function work(request: Work): Promise<void> {
  const { flags, webhook, context, settings, open, ledger, temporal, signal, onFault } = request;
  const { atFaultPoint, output } = context;
  const { say } = output;
  const { home } = settings;
  const store = await claimStore(settings, ledger);
  const onLog = logOf(output);
  const onWebhook = (news: WebhookNews): void => {
    say(webhookNewsWords(news));
  };
  const hooked = { webhook, onWebhook };
  const told = { onFault, atFaultPoint, onLog, say };
  const worker = await startEmbeddedWorker({ temporal, ledger, store, open, home, ...told, ...hooked });
  worker.ended.catch(onFault);
  const leaving = new AbortController();
  let telling: Telling | undefined;
  try {
    say(
      `Working for account ${open.profile.userId} at ${open.api.baseUrl}; Temporal at ${temporal.address}. Ctrl-C stops.`,
    );
    const caring = lookAfterBatches({
      client: temporal.client,
      ledger,
      owner: worker.owner,
      isMine: (batch) => isOpenFor(batch, open),
      everyMs: 1_000 * (flags.lookEvery ?? LOOK_AFTER_EVERY_S),
      say,
      signal: AbortSignal.any([signal, leaving.signal]),
    });
    caring.catch(onFault);
    request.caring.push(caring);
    const { batch, out } = flags;
    const write =
      batch === undefined
        ? undefined
        : writeWhenClosed({ ledger, store, batch, out: resolve(out ?? defaultOut(batch)), say });
    // Who works only until all is done has nobody after it who would deliver them.
    const othersAfterMs = flags.untilIdle === true && batch === undefined ? undefined : HOOKS_OF_OTHERS_AFTER_MS;
    telling = tellHooks({ ...ownNotices(settings, open), ledger, batch, othersAfterMs, say, before: write });
    telling.ended.catch(onFault);
    request.onReady();
    await stayUntil(ledger, open, { ...flags, write }, signal);
  } finally {
    leaving.abort();
    // Whatever ends this: what is on the wire has a ledger to be written to, and what a hook does has time for it.
    const worked = worker.end(request.interrupt.patienceMs()).catch(onFault);
    await telling?.end(worked);
    await worked;
    await store.close();
  }
}
