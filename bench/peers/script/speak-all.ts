/** A script: so many rows at once, five tries each, and what was fetched before is skipped. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as pause } from 'node:timers/promises';
import pLimit from 'p-limit';
import type { Row } from '../../rows.ts';
import { createJob, download, fileOf, readJob } from '../speech-client.ts';

const AT_ONCE = 50;
const TRIES = 5;
const POLL_MS = 1_000;

async function speak(row: Row): Promise<void> {
  if (existsSync(fileOf(row.id))) return;
  for (let attempt = 1; ; attempt += 1) {
    try {
      const job = await createJob(row.text);
      let link = await readJob(job);
      while (link === undefined) {
        await pause(POLL_MS);
        link = await readJob(job);
      }
      await download(link, row.id);
      return;
    } catch (error) {
      if (attempt === TRIES) throw error;
      await pause(1_000 * 2 ** (attempt - 1));
    }
  }
}

const rows = JSON.parse(await readFile('rows.json', 'utf8')) as Row[];
const limit = pLimit(AT_ONCE);
const ends = await Promise.allSettled(rows.map((row) => limit(() => speak(row))));
const failures = ends.flatMap((end) => (end.status === 'rejected' ? [String(end.reason)] : []));
if (failures.length > 0) {
  console.error(`${failures.length} rows failed; the first: ${failures[0] ?? ''}`);
  process.exitCode = 1;
}
