import { existsSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { readFile, writeFile } from 'node:fs/promises';
import { beforeEach, describe, expect, it, jest } from '@jest/globals';
import { deliverDue, deliverBeforeExit, deliverNotices } from '../../../client/hooks/deliver-notices.ts';
import { defined } from '../../../contract/defined.ts';
import type { Account } from '../../../contract/names.ts';
import type { Tunables } from '../../../contract/tunables.ts';
import { processIdentity } from '../../../embedded/process-identity.ts';
import type { Ledger } from '../../../ledger/ledger.ts';
import { aBatch, aKey, aRow, INTENT, open, redriveNow } from '../../ledger/setup.ts';
import { waitFor } from '../../support/wait-for.ts';
import { settingsOf } from '../../support/schedule-on-record.ts';
import { folderForEach } from '../../support/fresh-folder.ts';
import { endAfterTest } from '../../support/end-after-test.ts';
import { serve } from '../../support/api-server.ts';

type Hooks = Partial<Pick<Tunables, 'onEnd' | 'notify'>>;

const folder = folderForEach();
let ledger: Ledger;
let url = '';
/** Answers of the receiver, one after the other; then 200. */
let answers: number[] = [];
let got: Record<string, unknown>[] = [];
let headers: IncomingHttpHeaders[] = [];
const said: string[] = [];

beforeEach(async () => {
  ledger = await open(folder());
  endAfterTest(() => ledger.close());
  answers = [];
  [got, headers] = [[], []];
  said.length = 0;
  const server = await serve(({ headers: sent, body }, response) => {
    headers.push(sent);
    got.push(JSON.parse(body) as Record<string, unknown>);
    response.writeHead(answers.shift() ?? 200).end();
  });
  url = `${server.origin}/hook`;
});

/** Loads the batch `b` with these hooks, and ends its row as failed. */
async function endBatch(hooks: Hooks): Promise<void> {
  const batch = aBatch();
  const loading = await ledger.createBatch({ ...batch, settings: { ...batch.settings, ...hooks } });
  await ledger.addRows(loading, [aRow(1)]);
  await ledger.openBatch(loading, 1);
  await ledger.intend(aKey(1), INTENT);
  await ledger.settle(aKey(1), { verdict: 'rejected' }, { outcome: 'failed' });
  await ledger.closeBatch('b');
}

const request = (signal = new AbortController().signal) => ({
  ledger,
  batch: 'b',
  say: (line: string) => void said.push(line),
  signal,
});

const endings = async (): Promise<readonly (string | null)[]> =>
  (await ledger.noticesOf('b')).map(({ endedAt, trouble }) => (endedAt === null ? 'open' : trouble));

/** No process tells the hooks that works for another account or API; one of their own does. */
async function expectToldToOwn(batch: string | undefined, { apiUrl, account }: Account): Promise<void> {
  const told = async (realm: Account): Promise<unknown[]> => {
    await deliverDue({ ...request(), batch, realm });
    return [got.length, existsSync(folder('runs'))];
  };
  expect(await told({ apiUrl, account: 'another' })).toEqual([0, false]);
  expect(await told({ apiUrl: 'https://other.example/api/open/v1', account })).toEqual([0, false]);
  expect(await told({ apiUrl, account })).toEqual([1, true]);
}

describe('deliverBeforeExit', () => {
  it('tells the command and the URL how the batch ended', async () => {
    await endBatch({
      onEnd: `cat > "${folder()}/summary"; echo "$VOXBATCH_EXIT_CODE" > "${folder()}/code"`,
      notify: url,
    });
    await deliverBeforeExit(request(), 60_000);
    expect(await endings()).toEqual([null, null]);
    expect(got).toMatchObject([
      {
        type: 'batch.ended',
        text: 'voxbatch: batch "b" ended. 1 row: 1 failed. 0 credits charged.',
        data: { batch: 'b', exit: 'failures', exit_code: 10, outcomes: { failed: 1, succeeded: 0 } },
      },
    ]);
    expect(JSON.parse(await readFile(folder('summary'), 'utf8'))).toMatchObject({
      batch: 'b',
      rows: 1,
      files: {},
    });
    expect(await readFile(folder('code'), 'utf8')).toBe('10\n');
    expect(said).toEqual([]);
  });

  it('sends a message again, with the same id, until the receiver takes it', async () => {
    answers = [500];
    await endBatch({ notify: url });
    await deliverBeforeExit(request(), 60_000);
    expect(await endings()).toEqual([null]);
    expect(got).toHaveLength(2);
    expect(got[1]).toMatchObject({ id: got[0]?.['id'] });
    expect(said.join()).toMatch(/--notify of batch "b" failed: 127\.0\.0\.1:\d+ answered 500\. It is tried again\./);
    expect(said.join()).not.toContain('/hook');
  });

  it('leaves a message that nobody takes to the next process', async () => {
    answers = [500];
    await endBatch({ notify: url });
    await deliverBeforeExit(request(), 0);
    expect(await endings()).toEqual(['open']);
    expect(said.at(-1)).toContain('still to be delivered');
  });

  it('runs a command that fails once', async () => {
    await endBatch({ onEnd: `echo ran >> "${folder()}/runs"; exit 7` });
    await deliverBeforeExit(request(), 60_000);
    expect(await endings()).toEqual(['it ended with exit code 7']);
    expect(await readFile(folder('runs'), 'utf8')).toBe('ran\n');
    expect(said).toEqual(['--on-end of batch "b" failed: it ended with exit code 7. It is not tried again.']);
  });

  it.each(['http://127.0.0.1:99999/hook', 'http://[::1/hook', 'https://%/hook'])(
    'tries the URL %s, which is none, again, and works on',
    async (notify) => {
      await endBatch({ notify });
      await deliverBeforeExit(request(), 0);
      expect(await endings()).toEqual(['open']);
      expect(said[0]).toBe('--notify of batch "b" failed: its URL cannot be read. It is tried again.');
      expect(said.join()).not.toContain('hook.');
    },
  );

  it('runs a command also where the reason holds a character that no environment can', async () => {
    await endBatch({ onEnd: `echo "$VOXBATCH_REASON" > "${folder()}/reason"` });
    const reason = 'It\0 said no.';
    const batch = await ledger.findBatch('b');
    const telling = { ...ledger, findBatch: async () => batch && { ...batch, halted: reason } };
    await deliverBeforeExit({ ...request(), ledger: telling }, 60_000);
    expect(await endings()).toEqual([null]);
    expect(await readFile(folder('reason'), 'utf8')).toBe('It said no.\n');
  });

  it('gives the command and the URL one id for one event, and another event another', async () => {
    await endBatch({ onEnd: `echo "$VOXBATCH_EVENT_ID" >> "${folder()}/ids"`, notify: url });
    await deliverBeforeExit(request(), 60_000);
    const paid = { type: 'pay', fromStep: 'speech', reason: 'redrive' } as const;
    await redriveNow(ledger, 'b', [{ row: 1, take: 1, how: paid }]);
    await ledger.intend(aKey(1, 1, 2), INTENT);
    await ledger.settle(aKey(1, 1, 2), { verdict: 'rejected' }, { outcome: 'failed' });
    await ledger.closeBatch('b');
    await deliverBeforeExit(request(), 60_000);
    const ids = (await readFile(folder('ids'), 'utf8')).trim().split('\n');
    expect(new Set(ids).size).toBe(2);
    expect(got.map(({ id }) => id)).toEqual(ids);
    expect(headers.map((sent) => sent['webhook-id'])).toEqual(ids);
  });

  it('tells at once what a dead process had begun', async () => {
    await endBatch({ notify: url });
    const dead = (processIdentity() ?? '').replace(/ \d+$/, ' 1');
    await ledger.takeNotice({ leaseMs: 3_600_000, claimer: dead });
    expect(await deliverBeforeExit(request(), 0)).toBe(true);
    expect(got).toHaveLength(1);
    expect(await endings()).toEqual([null]);
  });

  it('leaves to a living process what it has begun, and says that it is still to be told', async () => {
    await endBatch({ notify: url });
    await ledger.takeNotice({ leaseMs: 3_600_000, ...defined({ claimer: processIdentity() }) });
    const now = jest.spyOn(Date, 'now');
    const start = Date.now();
    // Each look at the clock is a minute later.
    now.mockImplementation(() => start + 60_000 * now.mock.calls.length);
    try {
      expect(await deliverBeforeExit(request(), 0)).toBe(false);
    } finally {
      now.mockRestore();
    }
    expect(got).toEqual([]);
    expect(said.at(-1)).toMatch(/^A hook of batch "b" is still to be told: /);
  });

  it('tells no hook of a batch of another API or account', async () => {
    await endBatch({ onEnd: `echo ran >> "${folder()}/runs"`, notify: url });
    await expectToldToOwn(undefined, aBatch());
  });

  it('sends nothing to a hook that was taken back', async () => {
    await endBatch({ notify: url });
    await ledger.tune('b', { notify: null });
    await deliverBeforeExit(request(), 60_000);
    expect([got, await endings()]).toEqual([[], [null]]);
  });
});

describe('an occurrence that made no batch', () => {
  const NIGHTLY = { schedule: 'nightly', at: Date.UTC(2026, 11, 1, 2) };
  const NAME = 'nightly.2026-12-01T02-00-00Z';
  const nightly = { ...request(), batch: NAME };

  async function fail(hooks: Hooks, reason = 'The manifest has a problem.'): Promise<void> {
    await ledger.settleSchedule('nightly', settingsOf(), 0);
    await ledger.setScheduleHooks('nightly', hooks);
    await ledger.beginOccurrence(NIGHTLY);
    await ledger.endOccurrence(NIGHTLY, { type: 'failed', exit: null, reason });
  }

  it('is told to the command and the URL of its schedule', async () => {
    await fail({ onEnd: `cat > "${folder()}/input"; env | grep VOXBATCH_ | sort > "${folder()}/env"`, notify: url });
    await deliverBeforeExit({ ...nightly, ledger }, 60_000);
    const data = {
      schedule: 'nightly',
      at: '2026-12-01T02:00:00.000Z',
      batch: NAME,
      state: 'failed',
      cause: null,
      reason: 'The manifest has a problem.',
    };
    expect(got).toMatchObject([
      {
        type: 'occurrence.failed',
        text: 'voxbatch: schedule "nightly" failed and made no batch at 2026-12-01T02:00:00.000Z. The manifest has a problem.',
        data,
      },
    ]);
    expect(JSON.parse(await readFile(folder('input'), 'utf8'))).toEqual(data);
    const environment = await readFile(folder('env'), 'utf8');
    expect(environment).toContain('VOXBATCH_EVENT=failed\n');
    expect(environment).toContain('VOXBATCH_SCHEDULE=nightly\n');
    expect(environment).toContain('VOXBATCH_OCCURRENCE=2026-12-01T02:00:00.000Z\n');
    expect(environment).toContain('VOXBATCH_REASON=The manifest has a problem.\n');
  });

  it('of another API or account is not told', async () => {
    await fail({ onEnd: `echo ran >> "${folder()}/runs"`, notify: url });
    await expectToldToOwn(NAME, settingsOf());
  });

  it('is not told once it has taken place after all', async () => {
    await fail({ notify: url });
    await ledger.beginOccurrence(NIGHTLY);
    await deliverBeforeExit({ ...nightly, ledger }, 60_000);
    expect(got).toEqual([]);
  });
});

describe('deliverNotices', () => {
  it('runs until the signal, after what comes before', async () => {
    const ending = new AbortController();
    let looks = 0;
    const before = (): Promise<void> => {
      looks += 1;
      return looks === 1 ? endBatch({ notify: url }) : Promise.resolve();
    };
    const running = deliverNotices({ ...request(ending.signal), before });
    await waitFor(async () => (await endings()).join() === '' && got.length === 1);
    ending.abort();
    await running;
  });

  it('asks the ledger for none while none is wanted', async () => {
    const ending = new AbortController();
    await endBatch({ notify: url });
    let [asked, looks] = [0, 0];
    const isWanted = (): boolean => (looks += 1) > 2;
    const counting = {
      ...ledger,
      takeNotice: (claim: Parameters<Ledger['takeNotice']>[0]) => {
        asked += 1;
        return ledger.takeNotice(claim);
      },
    };
    const running = deliverNotices({ ...request(ending.signal), ledger: counting, isWanted });
    await waitFor(() => looks === 2);
    expect(asked).toBe(0);
    await waitFor(() => got.length === 1);
    ending.abort();
    await running;
  });

  it('lets what is under way arrive when it is to end', async () => {
    const [signal, until] = [new AbortController().signal, new AbortController()];
    await endBatch({ onEnd: `until test -e "${folder()}/go"; do sleep 0.1; done; echo ran >> "${folder()}/runs"` });
    const running = deliverNotices({ ...request(signal), until: until.signal });
    await waitFor(async () => (await ledger.noticesOf('b'))[0]?.tries === 1);
    until.abort();
    await writeFile(folder('go'), '');
    await running;
    expect(await endings()).toEqual([null]);
    expect(await readFile(folder('runs'), 'utf8')).toBe('ran\n');
  });

  it('leaves a command that the signal kills to the next process', async () => {
    const ending = new AbortController();
    await endBatch({ onEnd: `echo ran >> "${folder()}/runs"; sleep 600` });
    const running = deliverNotices(request(ending.signal));
    await waitFor(async () => (await readFile(folder('runs'), 'utf8').catch(() => '')) !== '');
    ending.abort();
    await running;
    expect(await endings()).toEqual(['open']);
  });
});
