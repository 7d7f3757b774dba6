import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@temporalio/client';
import Database from 'libsql';
import { cp, mkdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { createSpeechApi } from '../../api/create-api.ts';
import type { SpeechApi } from '../../api/speech-api.ts';
import { SUPERVISE_BATCH } from '../../contract/batch-workflow.ts';
import type { Operation, RowSpec } from '../../contract/row-kinds.ts';
import { batchWorkflowId, idempotencyKeyOf, taskQueueOf } from '../../contract/names.ts';
import { expectWhole, saying } from '../support/batch-end.ts';
import { endAfterTest } from '../support/end-after-test.ts';
import { LiveWorld } from '../support/live-world.ts';
import { replayHistoriesAt } from '../support/replay-histories.ts';
import { startTemporal } from '../support/start-temporal.ts';
import { settingsOf, type TestTemporal } from '../support/temporal-place.ts';
import { connectTo } from '../support/temporal-server.ts';

/** What the version before lanes left behind when it was killed in mid-batch; see test/replay/README.md. */
const LEFT = fileURLToPath(new URL('../replay/upgrade/', import.meta.url));
const LEDGER_ID = '188fa013-5042-4108-8bbe-d2a8ce1e53be';
const ROWS = 12;
/** Where that version worked; the account follows from the token. */
const OLD_API = 'http://127.0.0.1:18471/api/open/v1';
const TOKEN = 'rehearsal';
/** Requests that were on the wire when it was killed. */
const ON_THE_WIRE = 2;

interface OldRequest {
  readonly row: number;
  readonly step: string;
  readonly take: number;
  readonly state: string;
  readonly job_id: string | null;
  readonly spec: string;
}

const { signal } = new AbortController();

const OPERATIONS: Readonly<Record<string, Operation>> = {
  speech: 'speech-job',
  transcription: 'transcription',
  'lip-sync': 'lip-sync-job',
};

describe('a batch that the version before left open', () => {
  let world: LiveWorld;
  let server: TestTemporal;
  let client: Client;
  let api: SpeechApi;

  beforeEach(async () => {
    world = await LiveWorld.open({ seed: 7, token: TOKEN, jobMs: [300, 1_000] });
    world.forget();
    // Under a name that is not looked for at the end: one of its histories is of a type that this version cannot replay.
    server = await startTemporal(world.folder, 'upgrade.db');
    client = await connectTo(server);
    api = createSpeechApi({ baseUrl: world.simulator.url, token: TOKEN });
    endAfterTest(() => {
      api.close();
    });
    await mkdir(world.path('.voxbatch'));
    await cp(`${LEFT}store`, world.path('.voxbatch', 'store'), { recursive: true });
    await cp(`${LEFT}lines.csv`, world.path('lines.csv'));
    const sql = await readFile(`${LEFT}ledger.sql`, 'utf8');
    const db = new Database(world.path('.voxbatch', 'ledger.db'));
    db.exec(sql.replaceAll(OLD_API, world.simulator.url));
    await tellSimulator(db);
    db.close();
  });

  /** The API has taken every request that the old version recorded, also those whose answers it never saw. */
  async function tellSimulator(db: Database.Database): Promise<void> {
    const requests = db
      .prepare('select c.row, c.step, c.take, c.state, c.job_id, r.spec from charges c join rows r using (batch, row)')
      .all() as OldRequest[];
    expect(requests.filter(({ state }) => state === 'sending')).toHaveLength(ON_THE_WIRE);
    for (const { row, step, take, job_id: jobId, spec } of requests) {
      const verdict = await api.send(
        {
          operation: OPERATIONS[step] ?? 'speech-job',
          spec: JSON.parse(spec) as RowSpec,
          idempotencyKey: idempotencyKeyOf(LEDGER_ID, { batch: 'lines', row, step, take }),
          isRepeat: false,
          trust503: true,
        },
        { receive: () => Promise.reject(new Error('no result comes with these answers')), signal },
      );
      if (jobId === null) continue;
      if (verdict.verdict !== 'accepted') throw new Error(`the simulator did not take row ${String(row)}`);
      db.prepare('update charges set job_id = ? where job_id = ?').run([verdict.jobId, jobId]);
    }
  }

  it('is finished by this one: its workflow is ended, every row ends, and nothing is paid twice', async () => {
    const { userId } = await api.readProfile(signal);
    const old = await client.workflow.start('runBatch', {
      workflowId: batchWorkflowId(LEDGER_ID, 'lines'),
      taskQueue: taskQueueOf({ apiUrl: world.simulator.url, account: userId, ledgerId: LEDGER_ID }),
      args: [{ batch: 'lines' }],
    });
    const env = settingsOf(server);
    // It was restored here, so it could be anybody's: one word takes it.
    const refused = { code: 2, stderr: saying('run: voxbatch trust') };
    expect(await world.run(['worker'], { env })).toMatchObject(refused);
    expect(await world.run(['trust'])).toMatchObject({ code: 0 });
    const worker = await world.startWorking(['worker'], { env });
    const run = await world.run(['run', 'lines.csv'], { env });
    expect({ code: run.code, stderr: run.stderr }).toMatchObject({ code: 13 });
    const first = client.workflow.getHandle(old.workflowId, old.firstExecutionRunId);
    expect((await first.describe()).status.name).toBe('TERMINATED');
    // The answers to what was on the wire died with the old version. A lip-sync may be found in the API's list.
    const { unknown } = await expectWhole(world, 'lines', ROWS);
    expect(unknown).toBeLessThanOrEqual(ON_THE_WIRE);
    expect((await world.results('lines')).get('r4')).toMatchObject({ _outcome: 'unknown' });
    expect(await replayHistoriesAt(server, `WorkflowType = "${SUPERVISE_BATCH}"`)).toBeGreaterThan(0);
    await worker.endInOrder();
  });
});
