import type { NotedRead } from '../../api/noted-read.ts';
import { compareDialects, type DialectComparison } from '../../client/compare/compare-dialects.ts';
import { createApi } from '../../client/open-api.ts';
import type { ExitName } from '../../contract/exit-codes.ts';
import { confirmedAccess } from '../connect/open-api.ts';
import { readSettings } from '../connect/settings.ts';
import type { Output } from '../terminal/output.ts';
import { dialectJson } from './dialect-json.ts';
import { dialectLines, readLine } from './dialect-words.ts';

export interface DialectFlags {
  readonly apiUrl?: string;
  readonly jobs?: number;
  readonly pollRate?: number;
  readonly json?: boolean;
}

/** How many of the newest jobs are read, unless told otherwise. */
const USUAL_JOBS = 20;

const EXITS: Readonly<Record<DialectComparison['verdict'], ExitName>> = {
  parity: 'complete',
  differs: 'failures',
  unread: 'api',
};

/** `voxbatch compare`: the account in both dialects side by side. Only reads; spends nothing. Each request is logged on stderr. */
export async function compareAccount(flags: DialectFlags, output: Output): Promise<ExitName> {
  const requests: NotedRead[] = [];
  const settings = await readSettings();
  const access = await confirmedAccess(settings, flags);
  const api = createApi(access, {
    onRead: (read) => {
      requests.push(read);
      output.say(readLine(read));
    },
  });
  try {
    const pollRate = flags.pollRate ?? settings.config.limits?.pollRate ?? null;
    const found = await compareDialects(api, { jobs: flags.jobs ?? USUAL_JOBS, pollRate });
    const exit = EXITS[found.verdict];
    if (flags.json === true) output.data(JSON.stringify({ exit, api: api.baseUrl, ...dialectJson(found, requests) }));
    else for (const line of dialectLines(found, api.baseUrl)) output.data(line);
    return exit;
  } finally {
    api.close();
  }
}
