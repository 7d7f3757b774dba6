import { once } from 'node:events';
import { openReader } from '../../client/status/open-reader.ts';
import { chooseBatch } from '../../client/open-records.ts';
import type { Settings } from '../../client/settings.ts';
import { voxbatchVersion } from '../../client/version.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { messageOf } from '../../contract/message-of.ts';
import { openPage, type Page } from '../../page/server.ts';
import { PAGE_ACTIONS } from './run-actions.ts';
import { readSettings } from '../connect/settings.ts';
import { usageError } from '../exit-error.ts';
import { nextWords } from '../rows/explain.ts';
import { listenForInterrupt } from '../run/interrupt.ts';
import type { RunContext } from '../terminal/output.ts';
import { noteLines, stateWord } from '../terminal/status-words.ts';

/** `voxbatch page [BATCH]`: serves the web page until Ctrl-C or SIGTERM. Without a batch it begins with the list. */
export async function page(
  name: string | undefined,
  { port }: { readonly port?: number },
  { output }: RunContext,
): Promise<ExitName> {
  const interrupt = listenForInterrupt();
  try {
    const opened = await openPageHere(await readSettings(), { name, port });
    output.data(opened.address);
    output.say(
      'Open this address in a browser of this machine: it lets one in, once. Ctrl-C ends the page, nothing else.',
    );
    if (!interrupt.signal.aborted) await once(interrupt.signal, 'abort');
    await opened.close();
    return interrupt.exit() === 'interrupted' ? 'interrupted' : 'complete';
  } finally {
    interrupt.dispose();
  }
}

/** Opens the page for `--page` of another command, and prints its URL. The caller closes it. */
export async function openPageBeside(
  settings: Settings,
  name: string | undefined,
  { say }: Pick<RunContext['output'], 'say'>,
): Promise<Page> {
  const opened = await openPageHere(settings, { name });
  say(`The page, for one browser of this machine: ${opened.address}`);
  return opened;
}

/** Opens the page on the records of these settings. Throws {@link ExitError} `usage` if the port is taken. */
export async function openPageHere(
  settings: Settings,
  { name, port }: { readonly name?: string | undefined; readonly port?: number | undefined },
): Promise<Page> {
  const reader = await openReader(settings);
  try {
    const batch = name === undefined ? undefined : (await chooseBatch(reader.ledger, name)).name;
    const words = {
      standing: stateWord,
      status: (status: Parameters<typeof noteLines>[0]) => noteLines(status, Date.now()),
      row: nextWords,
    };
    const options = { reader, words, batch, port, actions: PAGE_ACTIONS, version: voxbatchVersion() };
    const opened = await openPage(options).catch((error: unknown) => {
      if ((error as NodeJS.ErrnoException).code === undefined) throw error;
      throw usageError(`--port ${String(port)}: ${messageOf(error)}. Nothing was changed.`);
    });
    return {
      address: opened.address,
      close: async () => {
        await opened.close();
        await reader.close();
      },
    };
  } catch (error) {
    await reader.close();
    throw error;
  }
}
