import { AnswersLost } from '../../contract/answers-lost.ts';
import { messageOf } from '../../contract/message-of.ts';
import { serve as work, type ServeNews } from '../../client/work/serve.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { shellWord } from '../../contract/shell-word.ts';
import { type RunContext, logOf, sayUnlogged, STOPPED, isLog, type Output } from '../terminal/output.ts';
import type { Flags } from '../commands/flags.ts';
import { withMetrics } from '../commands/metrics-flags.ts';
import { readWebhook } from '../commands/webhook-flags.ts';
import { withServeMedia } from '../commands/serve-media-flags.ts';
import { openSession } from '../connect/connect-api.ts';
import { readSettings } from '../connect/settings.ts';
import { ExitError } from '../exit-error.ts';
import { firstNotice, listenForInterrupt } from '../run/interrupt.ts';
import { keptLines, reportProblemLines } from '../terminal/file-words.ts';
import { REPORT_WORDS } from '../terminal/report-words.ts';
import { webhookNewsWords } from '../terminal/webhook-news.ts';
import { admittance, confirmServing } from '../trust/confirm.ts';
import { readWorkerVersion } from '../worker-versions/read-version.ts';
import { keepAliveFile, requireAliveFolder } from './alive-file.ts';
import { awaitUp, becomeUp } from '../../client/work/up.ts';
import { formatDuration } from '../../contract/times.ts';

/**
 * Max wait for requests in flight after SIGTERM, ms. Hooks take up to 5 s more, and Kubernetes kills a container after
 * 30 s.
 */
const WORKER_GRACE_MS = 20_000;

/** `voxbatch worker`: works on the batches of this API and account until told to stop. */
export function worker(flags: Flags, context: RunContext): Promise<ExitName> {
  return serve({ ...flags, grace: flags.grace ?? WORKER_GRACE_MS }, context, { isVersioned: true });
}

/**
 * Works on the batches of this API and account until told to stop. SIGTERM and Ctrl-C shut down gracefully, SIGTERM
 * within `--grace` and a few seconds. `onReady` is called when the worker is ready for work.
 */
async function serve(
  flags: Flags,
  { output: given, ...context }: RunContext,
  options: ServeHow = {},
): Promise<ExitName> {
  const output = timed(given);
  const { exit, isTold } = await serveUntilTold(flags, { output, ...context }, options);
  if (!isTold) return exit;
  if (output.stop === undefined) output.say(STOPPED);
  else output.stop(exit);
  return exit;
}

interface ServeHow {
  readonly onReady?: () => void;
  readonly isVersioned?: boolean;
}

/** `isTold`: it ended because it was told to. */
async function serveUntilTold(
  flags: Flags,
  { output, atFaultPoint }: RunContext,
  { onReady, isVersioned = false }: ServeHow,
): Promise<{ readonly exit: ExitName; readonly isTold: boolean }> {
  const webhook = readWebhook(flags);
  if (flags.aliveFile !== undefined) requireAliveFolder(flags.aliveFile);
  const settings = withMetrics(withServeMedia(await confirmServing(await readSettings(), {}), flags), flags);
  const version = isVersioned ? readWorkerVersion(flags, settings.cluster !== undefined) : undefined;
  const atOnce = new AbortController();
  const interrupt = listenForInterrupt(
    (exit) => {
      output.say(firstNotice(exit));
    },
    () => {
      output.say('Ended at once. To continue, run the same command again.');
      atOnce.abort();
    },
    flags.grace,
  );
  const admit = admittance(settings, {}, output);
  const session = openSession(settings, flags, {
    ...{ mustExist: false, thread: true, admit },
    waiting: { say: output.say, signal: interrupt.signal },
  });
  let endAlive: (() => void) | undefined;
  let page: Promise<{ close(): Promise<void> } | undefined> | undefined;
  const beReady = (): void => {
    if (flags.page === true) page ??= openPage(settings, output);
    if (flags.aliveFile !== undefined) endAlive = keepAliveFile(flags.aliveFile);
    onReady?.();
  };
  try {
    const { untilIdle, batch, out, lookEvery, only } = flags;
    const end = await work(session, {
      ...{ only, version, webhook, untilIdle, batch, out, onReady: beReady, atFaultPoint, reportWords: REPORT_WORDS },
      lookEveryMs: lookEvery === undefined ? undefined : 1_000 * lookEvery,
      tell: (news) => {
        const isLogged = news.type === 'note' && news.isLogged;
        for (const line of linesOf(news)) sayUnlogged(output)(line, isLogged);
      },
      onLog: logOf(output),
      signal: interrupt.signal,
      atOnce: atOnce.signal,
      patienceMs: interrupt.patienceMs,
    });
    if (end.type === 'fault') {
      const then = end.cause instanceof AnswersLost ? 'Fix that' : 'Nothing is lost; fix that';
      throw new ExitError('unreachable', `${messageOf(end.cause)}\n${then}, then start again.`);
    }
    const isTold = interrupt.signal.aborted;
    return { exit: isTold && interrupt.exit() === 'interrupted' ? 'interrupted' : 'complete', isTold };
  } finally {
    endAlive?.();
    await (await page)?.close();
    await session.close();
    interrupt.dispose();
  }
}

/** The page is no reason not to work. */
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

/** What is said of a worker that does a part of the work. */
const ONLY = {
  all: '',
  submit: ' It leaves the results to workers that download.',
  download: ' It only downloads results, and sends no paid request.',
} as const;

function linesOf(news: ServeNews): readonly string[] {
  switch (news.type) {
    case 'working':
      return [
        `Working for account ${news.account} at ${news.apiUrl}; Temporal at ${news.temporal}.${ONLY[news.only ?? 'all']} Ctrl-C stops.`,
      ];
    case 'webhook':
      return [webhookNewsWords(news.news)];
    case 'note':
      return [news.text];
    case 'written':
      return [
        `Batch "${news.batch}" is finished. Its files are in ${news.out}.`,
        ...reportProblemLines(news.reportProblem),
        ...keptLines(news.kept, news.out),
      ];
    case 'unwritten': {
      const again = `voxbatch results ${shellWord(news.batch)} --out FOLDER`;
      return [
        `The files of batch "${news.batch}" cannot be written to ${news.out}: ${messageOf(news.cause)}. To write them: ${again}`,
      ];
    }
  }
}

/**
 * `voxbatch up`: runs the embedded server and a worker until told to stop. Instances started by `run --detach` exit by
 * themselves, and do not count as their home's `up`.
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

async function waitForUp(home: string, limitMs: number): Promise<ExitName> {
  const found = await awaitUp(home, limitMs);
  if (found === 'ready') return 'complete';
  throw new ExitError(
    'unreachable',
    found === 'absent'
      ? `No \`voxbatch up\` runs in ${home}. Start one: voxbatch up`
      : `\`voxbatch up\` in ${home} is not ready after ${formatDuration(limitMs)}. Its log says why.`,
  );
}

/**
 * The output of a command that stays: as text, each message has its time before it, in UTC, unless stderr is a
 * terminal.
 */
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
