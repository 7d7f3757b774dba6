import { AnswersLost } from '../../contract/answers-lost.ts';
import { messageOf } from '../../contract/message-of.ts';
import { serve as work, type ServeEvent } from '../../client/work/serve.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { type RunContext, logOf, sayUnlogged, STOPPED, isLog, type Output } from '../terminal/output.ts';
import type { Flags } from '../commands/flags.ts';
import { withMetrics } from '../commands/read-metrics-flags.ts';
import { readWebhook } from '../commands/read-webhook-flags.ts';
import { withServeMedia } from '../commands/read-serve-media-flags.ts';
import { openSession } from '../connect/connect-api.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { firstNotice, listenForInterrupt } from '../run/interrupt.ts';
import { keptLines, reportProblemLines } from '../terminal/file-words.ts';
import { REPORT_WORDS } from '../terminal/status-words.ts';
import { webhookEventWords } from '../terminal/webhook-event-words.ts';
import { admittance, confirmServing } from '../trust/confirm.ts';
import { readWorkerVersion } from '../worker-versions/read-version.ts';
import { keepAliveFile, requireAliveFolder } from './alive-file.ts';
import { awaitUp, becomeUp } from '../../client/work/up.ts';
import { formatDuration } from '../../contract/times.ts';

/**
 * How long a worker waits for requests in flight after SIGTERM by default, ms. Hooks take up to 5 s more, and
 * Kubernetes kills a container after 30 s.
 */
const WORKER_GRACE_MS = 20_000;

/** `voxbatch worker`: works on the batches of this API and account until Ctrl-C or SIGTERM. */
export function worker(flags: Flags, context: RunContext): Promise<ExitName> {
  return serve({ ...flags, grace: flags.grace ?? WORKER_GRACE_MS }, context, { isVersioned: true });
}

/** Works on the batches of this API and account until Ctrl-C or SIGTERM, which wait at most `--grace` for requests. */
async function serve(
  flags: Flags,
  { output: plainOutput, ...context }: RunContext,
  options: ServeOptions = {},
): Promise<ExitName> {
  const output = timed(plainOutput);
  const { exit, isSignalled } = await serveUntilSignal(flags, { output, ...context }, options);
  if (!isSignalled) return exit;
  if (output.stop === undefined) output.say(STOPPED);
  else output.stop(exit);
  return exit;
}

/** In what `worker` and `up` differ. */
interface ServeOptions {
  /** Called when the worker is ready for work. */
  readonly onReady?: () => void;
  /** Whether it takes part in Temporal's Worker Versioning if flags or environment ask for that. */
  readonly isVersioned?: boolean;
}

/** Works until a signal or, with `--until-idle`, until no batch is open. `isSignalled`: a signal ended it. */
async function serveUntilSignal(
  flags: Flags,
  { output, atFaultPoint }: RunContext,
  { onReady, isVersioned = false }: ServeOptions,
): Promise<{ readonly exit: ExitName; readonly isSignalled: boolean }> {
  const webhook = readWebhook(flags);
  if (flags.aliveFile !== undefined) requireAliveFolder(flags.aliveFile);
  const settings = withMetrics(withServeMedia(await confirmServing(await readSettings(), {}), flags), flags);
  const version = isVersioned ? readWorkerVersion(flags, settings.cluster !== undefined) : undefined;
  const interrupt = listenForInterrupt(
    (exit) => {
      output.say(firstNotice(exit));
    },
    () => {
      output.say('Ended at once. To continue, run the same command again.');
    },
    flags.grace,
  );
  const admit = admittance(settings, {}, output);
  const session = openSession(settings, flags, {
    mustExist: false,
    thread: true,
    admit,
    waiting: { say: output.say, signal: interrupt.signal },
  });
  let removeAliveFile: (() => void) | undefined;
  let page: Promise<{ close(): Promise<void> } | undefined> | undefined;
  const markReady = (): void => {
    if (flags.page === true) page ??= openPage(settings, output);
    if (flags.aliveFile !== undefined) removeAliveFile = keepAliveFile(flags.aliveFile);
    onReady?.();
  };
  try {
    const { untilIdle, batch, out, lookEvery, only } = flags;
    const end = await work(session, {
      only,
      version,
      webhook,
      untilIdle,
      batch,
      out,
      onReady: markReady,
      atFaultPoint,
      reportWords: REPORT_WORDS,
      roundEveryMs: lookEvery === undefined ? undefined : 1_000 * lookEvery,
      onEvent: (event) => {
        const isLogged = event.type === 'note' && event.isLogged;
        for (const line of linesOf(event)) sayUnlogged(output)(line, isLogged);
      },
      onLog: logOf(output),
      ...interrupt,
    });
    if (end.type === 'fault') {
      const then = end.cause instanceof AnswersLost ? 'Fix that' : 'Nothing is lost; fix that';
      throw new ExitError('unreachable', `${messageOf(end.cause)}\n${then}, then start again.`);
    }
    const isSignalled = interrupt.signal.aborted;
    return { exit: isSignalled && interrupt.exit() === 'interrupted' ? 'interrupted' : 'complete', isSignalled };
  } finally {
    removeAliveFile?.();
    await (await page)?.close();
    await session.close();
    interrupt.dispose();
  }
}

/** Opens the page; prints why if that fails, because the worker should work without it. */
async function openPage(
  settings: Awaited<ReturnType<typeof readSettings>>,
  output: RunContext['output'],
): Promise<{ close(): Promise<void> } | undefined> {
  try {
    return await (await import('../page/page.ts')).openPageBeside(settings, undefined, output);
  } catch (error) {
    output.say(`The page cannot be shown: ${messageOf(error)}`);
    return undefined;
  }
}

/** Describes which part of the work `--only` leaves to other workers. */
const ONLY = {
  all: '',
  submit: ' It leaves the results to workers that download.',
  download: ' It only downloads results, and sends no paid request.',
} as const;

function linesOf(event: ServeEvent): readonly string[] {
  switch (event.type) {
    case 'working':
      return [
        `Working for account ${event.account} at ${event.apiUrl}; Temporal at ${event.temporal}.${ONLY[event.only ?? 'all']} Ctrl-C stops.`,
      ];
    case 'webhook':
      return [webhookEventWords(event.event)];
    case 'note':
      return [event.text];
    case 'written':
      return [
        `Batch "${event.batch}" is finished. Its files are in ${event.out}.`,
        ...reportProblemLines(event.reportProblem),
        ...keptLines(event.kept, event.out),
      ];
    case 'unwritten': {
      const again = `voxbatch results ${shellWord(event.batch)} --out FOLDER`;
      return [
        `The files of batch "${event.batch}" cannot be written to ${event.out}: ${messageOf(event.cause)}. To write them: ${again}`,
      ];
    }
  }
}

/**
 * `voxbatch up`: runs the embedded server and a worker until Ctrl-C or SIGTERM. A home has at most one, but those that
 * `run --detach` starts (`--until-idle`) do not count: they end by themselves.
 */
export async function up(flags: Flags, context: RunContext): Promise<ExitName> {
  if (flags.untilIdle === true) return serve(flags, context);
  const { home } = await readSettings();
  if (flags.wait !== undefined) return waitForUp(home, flags.wait);
  const found = await becomeUp(home);
  if (found.type === 'taken') {
    if (flags.unlessRunning === true) return 'complete';
    const who = found.pid === undefined ? '' : ` (process ${String(found.pid)})`;
    throw new ExitError(
      'unfinished',
      `\`voxbatch up\` runs in ${home} already${who}. It works on all batches of its account. ` +
        'Nothing was started. For another account in the same folder: voxbatch worker',
    );
  }
  const { claim } = found;
  try {
    return await serve(flags, context, {
      onReady: () => {
        claim.markReady();
      },
    });
  } finally {
    claim.release();
  }
}

/** `up --wait`: waits until the home's `up` is ready. Throws {@link ExitError} `unreachable` if it is not in time. */
async function waitForUp(home: string, limitMs: number): Promise<ExitName> {
  const state = await awaitUp(home, limitMs);
  if (state === 'ready') return 'complete';
  throw new ExitError(
    'unreachable',
    state === 'absent'
      ? `No \`voxbatch up\` runs in ${home}. Start one: voxbatch up`
      : `\`voxbatch up\` in ${home} is not ready after ${formatDuration(limitMs)}. Its log says why.`,
  );
}

/** Returns an output for a long-running command: messages begin with the time in UTC, unless stderr is a terminal. */
export function timed(output: Output): Output {
  if (output.isTerminal || isLog(output)) return output;
  return {
    ...output,
    log: output.say,
    say: (line) => {
      output.say(`${new Date().toISOString()} ${line.trimStart()}`);
    },
  };
}
