import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { connectionTo } from '../../ledger/postgres/connection-settings.ts';

const QUERY = fileURLToPath(new URL('./query-ledger.mjs', import.meta.url));
/** How often a server is asked again, and the pause in between, ms. */
const SERVER_TRIES = 300;
const SERVER_PAUSE_MS = 200;

/** An attempt as the ledger has it, as far as a run looks at it. */
export interface AttemptView {
  readonly batch: string;
  readonly row: number;
  readonly step: string;
  readonly take: number;
  readonly attempt: number;
  readonly state: string;
  readonly jobId: string | null;
  /** Process that recorded the intent: `<host> <pid> <random>`. */
  readonly owner: string;
  readonly intentAt: number;
  readonly verdictAt: number | null;
  readonly rowState: string;
  readonly outcome: string | null;
}

const SELECT = `select c.batch, c.row, c.step, c.take, c.attempt, c.state, c.job_id as "jobId", c.owner, c.intent_at as "intentAt",
  c.verdict_at as "verdictAt", r.state as "rowState", r.outcome from charges c join rows r on r.batch = c.batch and r.row = c.row`;

/**
 * Looks into the ledger without writing. Says in which window a fault struck, and is the witness of what had been reported as
 * done; no promise about money is judged by it.
 */
export async function readAttempts(ledger: string, which: 'all' | 'open'): Promise<AttemptView[]> {
  const open = `${SELECT} where c.state = 'sending' or r.outcome is null`;
  return (await query(ledger, which === 'all' ? SELECT : open)) as AttemptView[];
}

/** Outcomes of the rows that have ended, by batch and id. */
export async function readEnded(ledger: string): Promise<Map<string, string>> {
  const rows = await query(ledger, 'select batch, id, outcome from rows where outcome is not null');
  return new Map((rows as EndedRow[]).map(({ batch, id, outcome }) => [`${batch}/${id}`, outcome]));
}

interface EndedRow {
  readonly batch: string;
  readonly id: string;
  readonly outcome: string;
}

/** Where the ledger is on a server, waits until that answers. */
async function query(ledger: string, sql: string): Promise<unknown> {
  if (ledger.includes('://')) return queryServer(ledger, sql);
  const args = [QUERY, ledger, sql];
  const { stdout } = await promisify(execFile)(process.execPath, args, { maxBuffer: 1024 * 1024 * 1024 });
  return JSON.parse(stdout);
}

async function queryServer(address: string, sql: string): Promise<unknown> {
  for (let triesLeft = SERVER_TRIES; ; triesLeft--) {
    const client = new pg.Client(connectionTo(address).config);
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query(sql)).rows;
    } catch (error) {
      if (triesLeft === 0) throw error;
    } finally {
      await client.end().catch(() => undefined);
    }
    await sleep(SERVER_PAUSE_MS);
  }
}

/** True if the intent was recorded by this process. */
export function isOwnedBy(attempt: AttemptView, pid: number): boolean {
  return pidOf(attempt.owner) === pid;
}

/** Of a worker's name in the ledger, `<host> <pid> <random>`. */
function pidOf(owner: string): number {
  return Number(owner.split(' ').at(-2));
}
